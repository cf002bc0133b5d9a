// points_file
