// build
