// hdf5
