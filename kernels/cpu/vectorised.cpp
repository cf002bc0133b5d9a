// cpu/vectorised
