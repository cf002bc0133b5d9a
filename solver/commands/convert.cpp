// commands/convert
