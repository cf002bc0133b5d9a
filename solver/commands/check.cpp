// commands/check
