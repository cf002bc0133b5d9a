// commands/bench
