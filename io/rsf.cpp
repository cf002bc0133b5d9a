// rsf
