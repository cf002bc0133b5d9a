// wavelet
