// commands/run
