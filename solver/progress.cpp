// progress
