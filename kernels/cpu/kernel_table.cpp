// cpu/kernel_table
