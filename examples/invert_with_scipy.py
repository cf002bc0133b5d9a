"""Full-waveform inversion by an optimiser of SciPy: the velocities of a fast lens between two wells.

    python3 invert_with_scipy.py

onda.misfit() computes the misfit and its gradient, and L-BFGS-B the steps, within bounds. Nodes near sources and receivers,
where gradients are largest and say least, are held by bounds that are equal. `onda fwi` does all of that, and bands,
preconditioners and restarts besides; this is where to begin with an optimiser or a penalty of your own.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np
import onda

try:
    import scipy.optimize
except ImportError as error:
    print(f"skipped: {sys.executable}: {error} (pip install scipy, or apt install python3-scipy)")
    sys.exit(77)

SURVEY = {
    "grid": {"shape": [41, 41], "spacing_m": 20},
    "time": {"duration_s": 0.7, "dt_s": 0.004},  # the same step for all velocities
    "boundary": {"cpml_width": 10},
    "wavelet": {"type": "ricker", "peak_frequency_hz": 8},
    "sources": [{"type": "line", "first_m": [60, 40], "last_m": [60, 760], "count": 7}],
    "receivers": [{"type": "line", "first_m": [740, 20], "last_m": [740, 780], "count": 20}],
}
LOWEST_M_S, HIGHEST_M_S = 1800.0, 2400.0
HELD_M = 80.0  # from the wells


def lens_and_start():
    """The model that is looked for and the one that is begun with, [z][x] in m/s, and the nodes that may change."""
    nodes_m = 20.0 * np.arange(41)
    z, x = np.meshgrid(nodes_m, nodes_m, indexing="ij")
    start = np.full(z.shape, 2000.0)
    lens = 150.0 * np.exp(-((x - 400.0) ** 2 + (z - 400.0) ** 2) / (2 * 90.0**2))
    return start + lens, start, (x > 60 + HELD_M) & (x < 740 - HELD_M)


def invert(config, start, free, iterations=15):
    """The velocities found, and the misfit before and after each iteration."""
    first, gradient = onda.misfit(config, vp=start)
    # Optimisers stop where gradients are small numbers, and begin with steps that are as large as the gradient.
    scale = 10 / abs(gradient[free]).max()
    misfits, computed = [first], []

    def scaled(vp):
        value, gradient = onda.misfit(config, vp=vp)
        computed.append(value)
        return scale * value, scale * gradient

    def tell(_):
        misfits.append(computed[-1])  # a line search ends with the model that it takes
        print(f"iteration {len(misfits) - 1:2}: misfit {misfits[-1] / first:.5f} of the first")

    bounds = [(LOWEST_M_S, HIGHEST_M_S) if moves else (vp, vp) for moves, vp in zip(free.flat, start.flat)]
    options = {"maxiter": iterations, "maxcor": 5}
    done = scipy.optimize.minimize(
        scaled, start.ravel(), jac=True, method="L-BFGS-B", bounds=bounds, callback=tell, options=options
    )
    return done.x.reshape(start.shape), misfits


def check():
    """Inverts seismograms of the lens, and tells how far the model is from it before and after."""
    true, start, free = lens_and_start()
    with tempfile.TemporaryDirectory() as folder:
        observed = str(Path(folder) / "lens.npy")
        onda.run(SURVEY, vp=true, progress=False).export(observed)
        vp, misfits = invert({**SURVEY, "imaging": {"observed": observed}}, start, free)
    before, after = (100 * np.linalg.norm(model - true) / np.linalg.norm(true) for model in (start, vp))
    print(f"model error: {before:.3f} % before, {after:.3f} % after; misfit: {misfits[-1] / misfits[0]:.2g} of the first")
    assert misfits[-1] < 0.01 * misfits[0] and after < 0.6 * before
    assert LOWEST_M_S <= vp.min() and vp.max() <= HIGHEST_M_S and (vp[~free] == start[~free]).all()


if __name__ == "__main__":
    check()
