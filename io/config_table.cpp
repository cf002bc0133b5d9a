// config_table
