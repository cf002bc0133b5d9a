// cpu/twin
