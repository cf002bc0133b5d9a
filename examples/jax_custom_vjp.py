"""Seismograms as a function that JAX differentiates: inversion with its optimisers, under jit, or in a larger model.

    python3 jax_custom_vjp.py

onda.forward() computes seismograms from velocities, and the transpose of onda.born() takes a derivative with respect to
them back to one with respect to the velocities. The check at the end compares that with finite differences.
"""

import jax
import numpy as np
import onda

CONFIG = {
    "grid": {"shape": [45, 37], "spacing_m": 10},
    "time": {"duration_s": 0.3, "dt_s": 0.002},  # the same step for all velocities
    "boundary": {"top": "free_surface", "cpml_width": 10},
    "wavelet": {"type": "ricker", "peak_frequency_hz": 15},
    "scheme": {"precision": "double"},
    "sources": [{"type": "line", "first_m": [100, 20], "last_m": [300, 20], "count": 2}],
    "receivers": [{"type": "line", "first_m": [40, 20], "last_m": [400, 20], "count": 13}],
}


def seismograms_of(config, vp):
    """A function from velocities [z][x] or [z][y][x] in m/s to seismograms [shot][receiver][sample].

    vp: any velocities of the shape and type that it will be given.
    """
    J = onda.born(config, vp=vp)
    data_type = jax.ShapeDtypeStruct(J.dimsd, vp.dtype)
    vp_type = jax.ShapeDtypeStruct(vp.shape, vp.dtype)

    def compute(vp):
        return onda.forward(config, vp=vp).astype(data_type.dtype)

    def transpose(vp, derivative):
        J = onda.born(config, vp=vp, axes="zyx")
        return J.rmatvec(np.asarray(derivative).ravel()).reshape(vp.shape).astype(vp_type.dtype)

    @jax.custom_vjp
    def seismograms(vp):
        return jax.pure_callback(compute, data_type, vp)

    seismograms.defvjp(
        lambda vp: (seismograms(vp), vp),
        lambda vp, derivative: (jax.pure_callback(transpose, vp_type, vp, derivative),),
    )
    return seismograms


def check():
    """The derivative of a misfit along a direction, by JAX and by central differences."""
    jax.config.update("jax_enable_x64", True)
    true, vp = (np.full((37, 45), 2000.0) for _ in range(2))
    true[15:22, 18:27] = 2200.0
    vp[30:] = 2300.0
    seismograms = seismograms_of(CONFIG, vp)
    observed = seismograms(true)

    @jax.jit
    def misfit(velocity):
        return 0.5 * ((seismograms(velocity) - observed) ** 2).sum()

    gradient = jax.grad(misfit)(vp)
    direction = np.zeros_like(vp)
    direction[8:25, 10:30] = 0.25  # small steps, which single precision adds to velocities exactly
    expected = (misfit(vp + direction) - misfit(vp - direction)) / 2
    found = (gradient * direction).sum()
    print(f"along a direction: {found:.8g} by JAX, {expected:.8g} by differences")
    assert abs(found - expected) <= 1e-5 * abs(expected)


if __name__ == "__main__":
    check()
