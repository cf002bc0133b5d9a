// cpu/backend
