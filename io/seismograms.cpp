// seismograms
