// cpu/reference
