// propagator
