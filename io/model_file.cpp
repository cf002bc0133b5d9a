// model_file
