// cpu/inplane
