// commands/init
