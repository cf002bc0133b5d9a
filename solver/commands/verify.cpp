// commands/verify
