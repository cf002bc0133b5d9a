// xdmf
