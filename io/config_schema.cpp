// config_schema
