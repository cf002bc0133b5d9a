// commands/schema
