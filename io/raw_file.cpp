// raw_file
