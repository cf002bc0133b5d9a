// boundary
