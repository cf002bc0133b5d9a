// stencil
