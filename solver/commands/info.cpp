// commands/info
