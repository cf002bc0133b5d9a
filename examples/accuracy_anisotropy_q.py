#!/usr/bin/env python3
"""Tilted, layered and absorbing media by Onda, Devito and Deepwave, each against what is exact: tables in Markdown.

A Ricker wavelet of 16.7 Hz in a homogeneous 2-D medium of 2000 m/s, at nodes 10 m apart, is recorded eight of its wavelengths (of 12 nodes)
away, at eight angles from the vertical. The time step is a twentieth of h / vp, so that time dispersion does not matter, and edges are so far
away that nothing of them is back before the record ends. Devito and Deepwave compute in double precision, Onda in single.

tti   epsilon = delta = 0.2 and a tilted axis. The exact solution is the isotropic one with the coordinate across the axis stretched by
      sqrt(1 + 2 epsilon). Devito's and Deepwave's sources add the same to both stresses, Onda's by way of the stiffnesses: each has its own
      exact amplitudes. The control is the same without anisotropy. Devito runs as examples.seismic.tti of its package has it; Deepwave, which
      knows no tilt, acoustic_vti.
q     Q = 50. Exact is Kjartansson's constant Q with the phase velocity vp at 16.7 Hz. Devito runs as its package's
      examples.seismic.viscoacoustic and .self_adjoint have it, Deepwave viscoacoustic. *Its own law* is the complex modulus that each of the
      equations has, with vp and Q as they were given.

Errors are relative L2 norms of single traces. *Fitted* is what is left of the worst once it may choose one amplitude and one shift in time,
which are given. docs/users_of.md explains what differs. Devito takes half a minute a row at order 16.

usage: accuracy_anisotropy_q.py [--onda PROGRAM] [--case tti q] [--program onda devito deepwave] [--orders 8 16] [--tilts 0 30 45 -45 90]
                                [--points 12] [--figure FILE.png]
Devito and Deepwave are found as Python modules: pip install devito deepwave torch pytest (which Devito's examples import). Needs numpy, scipy
and h5py.
"""
import argparse
import importlib.util
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import hankel2

VP, SPACING, WAVELENGTHS, CENTRE = 2000.0, 10.0, 8, 1.2  # m/s, m, and the centre of the wavelet in periods
ANGLES_DEG = np.arange(0, 180, 22.5)
EPSILON, TILTS_DEG, QUALITY, MECHANISMS = 0.2, (0, 30, 45, -45, 90), 50.0, 4


class Survey:
    """Nodes [x, z] of a grid whose source is in its middle, offsets of receivers in nodes, a time step and the signal."""

    def __init__(self, points, epsilon=0.0, courant=0.05):
        self.peak_hz = VP / (points * SPACING)
        self.dt = courant * SPACING / VP
        reach = WAVELENGTHS * points
        duration = WAVELENGTHS / self.peak_hz + (2 * CENTRE + 0.2) / self.peak_hz
        self.samples = round(duration / self.dt) + 1
        # No path to an edge and back to a receiver is shorter, at the highest velocity.
        self.half = int(np.ceil((1.05 * VP * np.sqrt(1 + 2 * epsilon) * duration / SPACING + reach) / 2))
        self.shape = (2 * self.half + 1,) * 2
        angles = np.radians(ANGLES_DEG)
        self.offsets = np.rint(reach * np.stack([np.sin(angles), np.cos(angles)], axis=1)).astype(int)
        self.receivers = self.half + self.offsets
        self.time = self.dt * np.arange(self.samples)
        a = (np.pi * (self.peak_hz * self.time - CENTRE)) ** 2
        self.signal = (1 - 2 * a) * np.exp(-a)

    def traces(self, transfer):
        """[receiver][sample] of the signal, given transfer(omega, x, z) for waves exp(i omega t - i k r)."""
        length = 8 * self.samples  # the wrap of the discrete transform is silent
        omega = 2 * np.pi * np.fft.rfftfreq(length, self.dt)
        omega[0] = omega[1]
        spectrum = np.fft.rfft(self.signal, length)
        spectrum[0] = 0  # a Ricker wavelet has no mean
        rows = [np.fft.irfft(spectrum * transfer(omega, x, z), length)[: self.samples] for x, z in self.offsets * SPACING]
        return np.array(rows)


def stretched(epsilon, tilt_deg, x, z):
    """An offset across and along the axis, and the distance in the stretched medium."""
    tilt = np.radians(tilt_deg)
    across, along = x * np.cos(tilt) - z * np.sin(tilt), x * np.sin(tilt) + z * np.cos(tilt)
    return across, along, np.sqrt(across**2 / (1 + 2 * epsilon) + along**2)


def elliptical(epsilon, tilt_deg, both_stresses):
    """The mean stress where epsilon = delta, of an injection of volume or, with both_stresses, of a source that is added to each stress.

    u'' = vp^2 (c c^T L u + f s) with c = (sqrt(e), 1) and L the second derivatives across and along the axis. Away from its source u is c times
    a wave of the stretched medium: c^T m of it for f = c c^T m, and -(vp / omega)^2 (c^T L f) of it for any f.
    """
    e = 1 + 2 * epsilon
    root = np.sqrt(e)
    mean = (root + 1) / 2

    def transfer(omega, x, z):
        across, along, r = stretched(epsilon, tilt_deg, x, z)
        k = omega / VP
        h0, h1 = hankel2(0, k * r), hankel2(1, k * r)
        if not both_stresses:
            return mean**2 * h0 / (4j * root)
        slope, curvature = -k * h1, -(k**2) * (h0 - h1 / (k * r))
        second_across = curvature * (across / (e * r)) ** 2 + slope * (1 / (e * r) - across**2 / (e**2 * r**3))
        second_along = curvature * (along / r) ** 2 + slope * (1 / r - along**2 / r**3)
        return -mean * (root * second_across + second_along) / k**2 / (4j * root)

    return transfer


def absorbing(wavenumber, amplitude=lambda omega: 1.0):
    """Of a complex wavenumber(omega); amplitude is what the source is multiplied by."""
    return lambda omega, x, z: amplitude(omega) * hankel2(0, wavenumber(omega) * np.hypot(x, z)) / 4j


def kjartansson(reference_hz):
    gamma = np.arctan(1 / QUALITY) / np.pi

    def wavenumber(omega):
        c = VP * (omega / (2 * np.pi * reference_hz)) ** gamma
        return omega / c * (1 - 1j * np.tan(np.pi * gamma / 2))

    return wavenumber


def of_modulus(modulus, vp=VP):
    """vp^2 modulus(omega) for vp^2, where the source is added to the pressure itself."""
    return absorbing(lambda omega: omega / vp / np.sqrt(modulus(omega)), lambda omega: 1 / modulus(omega))


def velocity_at_rest(modulus, reference_hz):
    """The vp with which the phase velocity is VP at a frequency."""
    return VP * (1 / np.sqrt(modulus(np.array([2 * np.pi * reference_hz])))).real[0]


def of_drag(peak_hz):
    return absorbing(lambda omega: omega / VP * np.sqrt(1 - 2j * np.pi * peak_hz / (QUALITY * omega)))


def one_mechanism(omega_0):
    """A standard linear solid whose Q is smallest, QUALITY, at omega_0, over its modulus at rest."""
    relaxation = (np.sqrt(1 + 1 / QUALITY**2) - 1 / QUALITY) / omega_0
    defect = 1 / (omega_0 * relaxation) ** 2 - 1
    return lambda omega: 1 + defect * 1j * omega * relaxation / (1 + 1j * omega * relaxation)


def onda(survey, program, order, model, extra=""):
    import h5py

    metres = (survey.receivers * SPACING).tolist()
    text = f"""schema_version: 1
grid: {{shape: {list(survey.shape)}, spacing_m: {SPACING}}}
model: {{type: constant, vp_m_s: {VP}{model}}}
{extra}
boundary: {{x_min: sponge, x_max: sponge, z_min: sponge, z_max: sponge}}
scheme: {{space_order: {order}}}
time: {{duration_s: {survey.time[-1]}, dt_s: {survey.dt}}}
wavelet: {{type: ricker, peak_frequency_hz: {survey.peak_hz}, t0_s: {CENTRE / survey.peak_hz}}}
sources: [{{position_m: {[survey.half * SPACING] * 2}}}]
receivers: [{", ".join(f"{{position_m: {position}}}" for position in metres)}]
output: {{seismograms: {{dt_s: {survey.dt}}}, pictures: false, report: false}}
"""
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "c.yaml"
        config.write_text(text)
        subprocess.run([program, "run", config, "--output", Path(folder) / "r"], check=True, capture_output=True, text=True)
        with h5py.File(Path(folder) / "r" / "seismograms.h5") as f:
            return np.array(f["shots/1/pressure"], dtype=float)[:, : survey.samples]


def devito(survey, order, solver, bcs="damp", nbl=0, vp=VP, f0_hz=None, **parameters):
    """solver(model, geometry) is a solver of Devito's examples. Kilometres a second, metres and milliseconds, as there."""
    from devito import configuration
    from examples.seismic import AcquisitionGeometry, SeismicModel

    configuration["log-level"] = "ERROR"
    model = SeismicModel(origin=(0.0, 0.0), shape=survey.shape, spacing=(SPACING,) * 2, vp=vp / 1e3, nbl=nbl, space_order=order, bcs=bcs,
                         dtype=np.float64, dt=1e3 * survey.dt, **parameters)
    geometry = AcquisitionGeometry(model, survey.receivers * SPACING, np.full((1, 2), survey.half * SPACING), t0=0.0, tn=1e3 * survey.time[-1],
                                   f0=(f0_hz or survey.peak_hz) / 1e3, src_type="Ricker")
    source = geometry.src
    source.data[:, 0] = np.pad(survey.signal, (0, max(0, geometry.nt - survey.samples)))[: geometry.nt]
    recorded = solver(model, geometry).forward(src=source, dt=1e3 * survey.dt)[0]
    return np.array(recorded.data).T[:, : survey.samples] / SPACING**2


def devito_tti(survey, order, epsilon, tilt_deg):
    from examples.seismic.tti import AnisotropicWaveSolver

    solver = lambda model, geometry: AnisotropicWaveSolver(model, geometry, space_order=order)  # noqa: E731
    return devito(survey, order, solver, epsilon=epsilon, delta=epsilon, theta=np.radians(tilt_deg)) / 2  # it records the sum of both


def devito_viscoacoustic(survey, order, kernel, **parameters):
    from examples.seismic.viscoacoustic import ViscoacousticWaveSolver

    solver = lambda model, geometry: ViscoacousticWaveSolver(model, geometry, order, kernel=kernel, time_order=2)  # noqa: E731
    return devito(survey, order, solver, bcs="mask", b=np.ones(survey.shape), qp=QUALITY, **parameters)


def devito_self_adjoint(survey, order):
    from examples.seismic.self_adjoint import SaIsoAcousticWaveSolver

    def damping(field, _):
        field.data[:] = 2e-3 * np.pi * survey.peak_hz / QUALITY

    solver = lambda model, geometry: SaIsoAcousticWaveSolver(model, geometry, space_order=order)  # noqa: E731
    return devito(survey, order, solver, bcs=damping, nbl=2, b=1.0)


def deepwave(survey, order, name, models, vp=VP, **options):
    """Its sources are rates of pressure: the sum of the signal so far, in the units of a density at a node."""
    import deepwave as package
    import torch

    rate = np.cumsum(survey.signal) * survey.dt * vp**2 / SPACING**2
    full = [torch.full(survey.shape[::-1], float(value), dtype=torch.float64) for value in models]
    nodes = torch.from_numpy(survey.receivers[:, ::-1].copy()).unsqueeze(0)  # z first, which is the axis of its VTI
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of edges without layers, which are meant
        out = getattr(package, name)(*full, SPACING, survey.dt, accuracy=order, pml_width=0, receivers={"p": nodes},
                                     sources={"pressure_rate": (torch.from_numpy(rate).reshape(1, 1, -1),
                                                                torch.full((1, 1, 2), survey.half))}, **options)
    return out.receiver_amplitudes_p[0].numpy()


def deepwave_vti(survey, order, epsilon):
    c33 = VP**2
    return deepwave(survey, order, "acoustic_vti", [c33 * (1 + 2 * epsilon), c33 * np.sqrt(1 + 2 * epsilon), c33, 1.0])


def deepwave_modulus(options):
    def modulus(omega):
        import torch
        from deepwave import attenuation

        quality = torch.tensor([QUALITY], dtype=torch.float64)
        return attenuation.response(quality, torch.from_numpy(omega / (2 * np.pi)), **options)[0].numpy()

    return modulus


def shifted(trace, steps):
    spectrum = np.fft.rfft(trace, 4 * len(trace))
    turn = np.exp(-2j * np.pi * np.fft.rfftfreq(4 * len(trace)) * steps)
    return np.fft.irfft(spectrum * turn, 4 * len(trace))[: len(trace)]


def fit(trace, exact):
    """Of trace = amplitude times exact later by steps: the relative L2 norm of the rest, amplitude and steps."""

    def rest(steps):
        moved = shifted(exact, steps)
        amplitude = moved @ trace / (moved @ moved)
        return np.linalg.norm(trace - amplitude * moved) / np.linalg.norm(trace), amplitude

    steps = np.arange(-400, 401, 10)
    first = steps[np.argmin([rest(n)[0] for n in steps])]
    best = minimize_scalar(lambda n: rest(n)[0], bounds=(first - 10, first + 10), method="bounded").x
    return (*rest(best), best)


def errors(traces, exact):
    return np.linalg.norm(traces - exact, axis=1) / np.linalg.norm(exact, axis=1)


def percent(x):
    return f"{100 * x:.2g} %" if x < 0.0995 else f"{100 * x:.0f} %"


class TtiCase:
    title = ("| program | order | nodes per wavelength | epsilon = delta | tilt | smallest error | largest error | at angle | fitted "
             "| later by, in % of its time | amplitude |")

    def __init__(self, options):
        self.options, self.drawn = options, {}

    def row(self, name, order, points, epsilon, tilt, run):
        survey = Survey(points, epsilon)
        traces = run(survey)
        exact = survey.traces(elliptical(epsilon, tilt, name != "Onda"))
        by_angle = errors(traces, exact)
        worst = int(np.argmax(by_angle))
        rest, amplitude, steps = fit(traces[worst], exact[worst])
        arrival = stretched(epsilon, tilt, *survey.offsets[worst] * SPACING)[2] / VP
        self.drawn[name, order, points, epsilon, tilt] = survey, traces, exact, by_angle
        print(f"| {name} | {order} | {points} | {epsilon:g} | {tilt}° | {percent(by_angle.min())} | {percent(by_angle.max())} | {ANGLES_DEG[worst]:g}° "
              f"| {percent(rest)} | {100 * steps * survey.dt / arrival:.2f} | {amplitude:.3f} |", flush=True)

    def run(self, programs):
        print(self.title)
        print("|---" * (self.title.count("|") - 1) + "|", flush=True)
        orders, program = self.options.orders, self.options.onda
        for points in self.options.points:
            for epsilon, tilt in [(0.0, 0)] + [(EPSILON, tilt) for tilt in self.options.tilts]:
                model = f", epsilon: {epsilon}, delta: {epsilon}, theta_deg: {tilt}" if epsilon else ""
                for order in orders:
                    if "onda" in programs:
                        self.row("Onda", order, points, epsilon, tilt, lambda s, o=order, m=model: onda(s, program, o, m))
                    if "devito" in programs:
                        self.row("Devito", order, points, epsilon, tilt,
                                 lambda s, o=order, e=epsilon, t=tilt: devito_tti(s, o, e, t))
                    if "deepwave" in programs and tilt == 0 and order <= 8:
                        self.row("Deepwave", order, points, epsilon, tilt, lambda s, o=order, e=epsilon: deepwave_vti(s, o, e))

    def draw(self, file):
        """Errors by angle at order 8, and the trace along an axis at -45 degrees."""
        import matplotlib

        matplotlib.use("Agg")
        import matplotlib.pyplot as plt

        plt.rcParams["font.size"] = 9  # Devito's examples choose another
        figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.6), layout="constrained")
        for (name, order, points, epsilon, tilt), (survey, traces, exact, by_angle) in self.drawn.items():
            if order != 8 or points != self.options.points[0] or name == "Deepwave":
                continue
            if name == "Devito" or tilt == -45:
                label = f"{name}, " + (f"tilt {tilt}°" if epsilon else "isotropic")
                left.semilogy(ANGLES_DEG, 100 * by_angle, "o-" if name == "Devito" else "k.--", label=label)
            if tilt == -45:
                along = int(np.flatnonzero(ANGLES_DEG == 135)[0])
                scale = np.abs(exact[along]).max()
                if name == "Devito":
                    right.plot(survey.time, exact[along] / scale, "k", lw=4, alpha=0.3, label="exact")
                right.plot(survey.time, traces[along] / scale, "C3" if name == "Devito" else "C0", lw=1, label=name)
                right.set(xlim=(survey.time[-1] - 4 / survey.peak_hz, survey.time[-1]), xlabel="time (s)")
        left.set(xlabel="angle from the vertical (°)", title="error of a trace (%)", ylim=(1e-4, 100))
        left.legend(fontsize=7, ncols=2, loc="lower left")
        right.set_title("tilt −45°, along the axis")
        right.legend()
        figure.savefig(file, dpi=110)


class QCase:
    title = "| program | law | error | fitted | later by, in periods | amplitude | error against its own law |"

    def __init__(self, options):
        self.options = options

    def row(self, name, law, survey, traces, own):
        exact = survey.traces(absorbing(kjartansson(survey.peak_hz)))
        by_angle = errors(traces, exact)
        worst = int(np.argmax(by_angle))
        rest, amplitude, steps = fit(traces[worst], exact[worst])
        print(f"| {name} | {law} | {percent(by_angle.max())} | {percent(rest)} | {steps * survey.dt * survey.peak_hz:.3f} | {amplitude:.3f} "
              f"| {percent(errors(traces, survey.traces(own)).max())} |", flush=True)

    def run(self, programs):
        print(self.title)
        print("|---" * (self.title.count("|") - 1) + "|", flush=True)
        survey, program = Survey(self.options.points[0]), self.options.onda
        f0 = survey.peak_hz
        if "onda" in programs:
            laws = [("four mechanisms", "method: relaxation", absorbing(kjartansson(f0))), ("drag", "method: drag", of_drag(f0))]
            for law, method, own in laws:
                section = f"attenuation: {{{method}, reference_frequency_hz: {f0}}}"
                self.row("Onda", law, survey, onda(survey, program, 8, f", q: {QUALITY}", section), own)
        if "devito" in programs:
            kelvin_voigt = of_modulus(lambda omega: 1 + 1j * omega / (2 * np.pi * f0 * QUALITY))
            as_given, meant = one_mechanism(f0), one_mechanism(2 * np.pi * f0)  # its relaxation times are made with f0, without 2 pi
            at_rest = velocity_at_rest(meant, f0)
            self.row("Devito `sls`", "one mechanism, at f0/2π", survey, devito_viscoacoustic(survey, 8, "sls"), of_modulus(as_given))
            traces = devito_viscoacoustic(survey, 8, "sls", vp=at_rest, f0_hz=2 * np.pi * f0)
            self.row("Devito `sls`, 2π f0, vp at rest", "one mechanism", survey, traces, of_modulus(meant, at_rest))
            self.row("Devito `kv`", "Kelvin and Voigt", survey, devito_viscoacoustic(survey, 8, "kv"), kelvin_voigt)
            self.row("Devito `maxwell`", "drag", survey, devito_viscoacoustic(survey, 8, "maxwell"), of_drag(f0))
            self.row("Devito self-adjoint", "drag", survey, devito_self_adjoint(survey, 8), of_drag(f0))
        if "deepwave" in programs:
            for law, options in (("one mechanism", {"q_freq": f0}),
                                 ("four mechanisms", {"q_n_mechanisms": MECHANISMS, "q_band": (0.4 * f0, 2.5 * f0)})):
                modulus = deepwave_modulus(options)
                for name, vp in (("Deepwave", VP), ("Deepwave, vp at rest", velocity_at_rest(modulus, f0))):
                    traces = deepwave(survey, 8, "viscoacoustic", [vp, 1.0, QUALITY], vp, **options)
                    self.row(name, law, survey, traces, of_modulus(modulus, vp))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--onda", default="onda", metavar="PROGRAM")
    parser.add_argument("--case", nargs="+", choices=("tti", "q"), default=("tti", "q"))
    parser.add_argument("--program", nargs="+", choices=("onda", "devito", "deepwave"), default=("onda", "devito", "deepwave"))
    parser.add_argument("--orders", nargs="+", type=int, default=(8, 16))
    parser.add_argument("--tilts", nargs="+", type=int, default=TILTS_DEG, help="degrees")
    parser.add_argument("--points", nargs="+", type=int, default=(12,), help="nodes per wavelength of the peak frequency")
    parser.add_argument("--figure", metavar="FILE")
    options = parser.parse_args()
    programs = [name for name in options.program if name == "onda" or importlib.util.find_spec(name) is not None]
    for name in set(options.program) - set(programs):
        print(f"{name} is not installed: its rows are left out", file=sys.stderr)
    if "tti" in options.case:
        case = TtiCase(options)
        case.run(programs)
        if options.figure:
            case.draw(options.figure)
        print()
    if "q" in options.case:
        QCase(options).run(programs)


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as error:
        sys.exit(error.stderr)
