"""Seismograms as a function that PyTorch differentiates: inversion with its optimisers, or as a layer of a network.

    python3 torch_autograd.py

onda.forward() computes seismograms from velocities, and the transpose of onda.born() takes a derivative with respect to
them back to one with respect to the velocities. The check at the end compares that with finite differences.
"""

import numpy as np
import onda
import torch
from torch.autograd.function import once_differentiable

CONFIG = {
    "grid": {"spacing_m": 10},
    "time": {"duration_s": 0.3, "dt_s": 0.002},  # the same step for all velocities
    "boundary": {"top": "free_surface", "cpml_width": 10},
    "wavelet": {"type": "ricker", "peak_frequency_hz": 15},
    "scheme": {"precision": "double"},
    "sources": [{"type": "line", "first_m": [100, 20], "last_m": [300, 20], "count": 2}],
    "receivers": [{"type": "line", "first_m": [40, 20], "last_m": [400, 20], "count": 13}],
}


class Seismograms(torch.autograd.Function):
    """Seismograms [shot][receiver][sample] of velocities [z][x] or [z][y][x] in m/s, both on the CPU."""

    @staticmethod
    def forward(ctx, vp, config):
        ctx.save_for_backward(vp)
        ctx.config = config
        return torch.from_dlpack(onda.forward(config, vp=vp.detach())).to(vp.dtype)

    @staticmethod
    @once_differentiable
    def backward(ctx, derivative):
        (vp,) = ctx.saved_tensors
        J = onda.born(ctx.config, vp=vp.detach(), axes="zyx")
        gradient = J.rmatvec(np.from_dlpack(derivative.contiguous()).ravel())
        return torch.from_dlpack(gradient).reshape(vp.shape).to(vp.dtype), None


def check():
    """The derivative of a misfit along a direction, by autograd and by central differences."""
    true, vp = (torch.full((37, 45), 2000.0, dtype=torch.float64) for _ in range(2))
    true[15:22, 18:27] = 2200.0
    vp[30:] = 2300.0
    observed = Seismograms.apply(true, CONFIG)

    def misfit(velocity):
        return 0.5 * ((Seismograms.apply(velocity, CONFIG) - observed) ** 2).sum()

    vp.requires_grad_(True)
    misfit(vp).backward()
    direction = torch.zeros_like(vp)
    direction[8:25, 10:30] = 0.25  # small steps, which single precision adds to velocities exactly
    with torch.no_grad():
        expected = (misfit(vp + direction) - misfit(vp - direction)) / 2
    found = (vp.grad * direction).sum()
    print(f"along a direction: {found:.8g} by autograd, {expected:.8g} by differences")
    assert abs(found - expected) <= 1e-5 * abs(expected)


if __name__ == "__main__":
    check()
