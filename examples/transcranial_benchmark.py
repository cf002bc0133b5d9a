"""The benchmark of transcranial ultrasound of Aubry et al. (2022), cases 1 to 6, for a bowl and a piston of 500 kHz.

    python3 transcranial_benchmark.py --case 1 2 3 4 5 6 --source bowl piston --spacing-mm 0.5
    python3 transcranial_benchmark.py --case 4 --published FOLDER     # also compares with the results of the paper
    python3 transcranial_benchmark.py --case 4 --write FOLDER         # writes PH1-BM4-SC1_ONDA.h5, for its programs

For each case and source it prints the pressure amplitude at the focus, its position and its -6 dB sizes, and for the
flat cases, 1 to 4, how far the whole field is from an exact solution. FOLDER of --published has the data of
https://doi.org/10.5281/zenodo.6020543, a folder for each program in it. docs/transcranial.md explains it all.
Needs numpy; --published and --write need h5py, and scipy for files of before MATLAB 7.3.

J.-F. Aubry et al., Benchmark problems for transcranial ultrasound simulation: intercomparison of compressional wave
models, J. Acoust. Soc. Am. 152, 1003 (2022), doi:10.1121/10.0013426.
"""

import argparse
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onda

FREQUENCY_HZ = 500e3
OMEGA = 2 * np.pi * FREQUENCY_HZ
SURFACE_VELOCITY_M_S = 0.04  # of both sources: 60 kPa in a plane wave in water
BOWL_RADIUS_M = 64e-3  # of curvature; its aperture has the same diameter
PISTON_DIAMETER_M = 20e-3
SKULL_RADIUS_M = 75e-3  # of the outer surface of the bone, where it is curved
BONE_DEPTH_M, BRAIN_DEPTH_M = 30e-3, 36.5e-3  # on the axis
PISTON_PROFILE_M = 60e-3  # the depth at which the field of the piston, which has no focus, is measured
SAMPLING_M = 0.5e-3  # of the published fields: 241 nodes along the axis and 141 across it
ABSORBING_NODES = 12
STENCIL_RADIUS = 8
BEYOND = 6  # nodes beyond both ends of the axis, from which the field between nodes is interpolated


@dataclass(frozen=True)
class Medium:
    """A fluid; what it absorbs is that at 500 kHz."""

    vp_m_s: float
    rho_kg_m3: float
    absorption_db_cm: float = 0.0

    @property
    def wavenumber(self):
        """In 1/m, complex: waves are exp(i k x - i omega t)."""
        return OMEGA / self.vp_m_s + 1j * self.absorption_db_cm * 100 / (20 * np.log10(np.e))

    @property
    def quality_factor(self):
        """Re M / Im M of the modulus M = rho (omega / k)^2."""
        modulus = 1 / self.wavenumber**2
        return -modulus.real / modulus.imag if self.absorption_db_cm else float("inf")


WATER = Medium(1500, 1000)
ABSORBING_WATER = Medium(1500, 1000, 1.0)
SKIN = Medium(1610, 1090, 0.2)
CORTICAL_BONE = Medium(2800, 1850, 4.0)
TRABECULAR_BONE = Medium(2300, 1700, 8.0)
BRAIN = Medium(1560, 1040, 0.3)

# The depth on the axis where each layer begins.
ONE_LAYER = ((0.0, WATER), (BONE_DEPTH_M, CORTICAL_BONE), (BRAIN_DEPTH_M, WATER))
FIVE_LAYERS = (
    (0.0, WATER),
    (26e-3, SKIN),
    (BONE_DEPTH_M, CORTICAL_BONE),
    (31.5e-3, TRABECULAR_BONE),
    (35.5e-3, CORTICAL_BONE),
    (BRAIN_DEPTH_M, BRAIN),
)
LAYERS = {
    1: ((0.0, WATER),),
    2: ((0.0, ABSORBING_WATER),),
    3: ONE_LAYER,
    4: FIVE_LAYERS,
    5: ONE_LAYER,
    6: FIVE_LAYERS,
}
CURVED = (5, 6)


@dataclass
class Field:
    """Pressure at 500 kHz in a half-plane that the axis bounds: p(t) = Re(pressure exp(-i omega t)) where the surface
    of the source moves with cos(omega t). The axis of the source begins at 0 m of z."""

    pressure: np.ndarray  # [z][r], Pa, complex
    z_m: np.ndarray
    r_m: np.ndarray
    unsteady: float = 0.0  # by how much amplitudes still change, from one period to the fourth after it

    def sampled(self):
        """The nodes of the published fields."""
        every = round(SAMPLING_M / (self.z_m[1] - self.z_m[0]))
        return Field(self.pressure[::every, ::every], self.z_m[::every], self.r_m[::every], self.unsteady)


def rings(source, count):
    """Gauss' points between the centre and the edge of a source, as circles about the axis.

    Returns their radii [count], depths [count] and areas [count], in m and m2.
    """
    abscissa, weight = np.polynomial.legendre.leggauss(count)
    if source == "piston":
        radius = PISTON_DIAMETER_M / 4 * (abscissa + 1)
        return radius, np.zeros(count), PISTON_DIAMETER_M / 4 * weight * 2 * np.pi * radius
    angle = np.pi / 12 * (abscissa + 1)
    radius, depth = BOWL_RADIUS_M * np.sin(angle), BOWL_RADIUS_M * (1 - np.cos(angle))
    return radius, depth, np.pi / 12 * weight * 2 * np.pi * BOWL_RADIUS_M * radius


def quarter(source, spacing_m):
    """Points on the quarter of a source where x > 0 and y > 0, about a grid spacing apart, none on x = 0 or y = 0.

    Returns positions [n][x, y, z] in m, and areas [n] in m2.
    """
    across = PISTON_DIAMETER_M / 2 if source == "piston" else BOWL_RADIUS_M * np.pi / 6
    positions, areas = [], []
    for radius, depth, area in zip(*rings(source, int(np.ceil(across / spacing_m)) + 2)):
        count = int(np.ceil(radius * np.pi / 2 / spacing_m)) + 1
        phi = np.pi / 2 * (np.arange(count) + 0.5) / count
        positions.append(np.stack([radius * np.cos(phi), radius * np.sin(phi), np.full(count, depth)], axis=1))
        areas.append(np.full(count, area / 4 / count))
    return np.concatenate(positions), np.concatenate(areas)


def model_of(case):
    """The section `model` of a configuration."""

    def values(medium):
        entry = {"vp_m_s": medium.vp_m_s}
        if len(LAYERS[case]) > 1:  # a density that is the same everywhere has no effect
            entry["rho_kg_m3"] = medium.rho_kg_m3
        if absorbs(case):
            entry["q"] = medium.quality_factor
        return entry

    layers = LAYERS[case]
    if case not in CURVED:
        flat = [{"top_m": top, **values(medium)} for top, medium in layers]
        return {"type": "layered", "interfaces": "sampled", "layers": flat}
    centre = BONE_DEPTH_M + SKULL_RADIUS_M
    spheres = [
        {"shape": "sphere", "center_m": [0.0, 0.0, centre], "radius_m": centre - top, **values(medium)}
        for top, medium in layers[1:]
    ]
    return {"type": "inclusions", "interfaces": "sampled", **values(layers[0][1]), "inclusions": spheres}


def absorbs(case):
    return any(medium.absorption_db_cm for _, medium in LAYERS[case])


def steps_per_period(case, spacing_m):
    """The fewest whose time step is surely stable, at order 16 in 3-D, also where the density varies."""
    fastest = max(medium.vp_m_s for _, medium in LAYERS[case])
    return int(np.ceil(2 * np.pi / (0.38 * spacing_m / fastest * OMEGA)))


def configuration(case, source, spacing_m, depth_m, half_width_m, backend, folder):
    """A configuration for onda.run(), of a quarter of the field: the planes x = 0 and y = 0 are rigid.

    The flat interfaces lie midway between nodes, where they act in finite differences. In a layer as thin as bone even
    half a spacing would matter: through 6.5 mm with interfaces on nodes of 0.5 mm a third more pressure would pass.

    Steps of dt see the frequency f as sin(pi f dt) / (pi dt). That is 500 kHz here, and a period has a whole number of
    steps; what the finite steps would do to the phase is gone.
    """
    steps = steps_per_period(case, spacing_m)
    dt = 2 * np.sin(np.pi / steps) / OMEGA
    layered = len(LAYERS[case]) > 1
    along = max(depth_m, 2 * BONE_DEPTH_M) if layered else depth_m  # and back from the bone
    farthest = np.hypot(along, half_width_m + (BOWL_RADIUS_M if source == "bowl" else PISTON_DIAMETER_M) / 2)
    ramp, echoes = 4, 10 if layered else 6
    periods = int(np.ceil(farthest / min(m.vp_m_s for _, m in LAYERS[case]) * FREQUENCY_HZ)) + ramp + echoes
    count = periods * steps
    n = np.arange(count + ramp * steps + 1)
    envelope = np.clip(np.minimum(n, n[-1] - n) / (ramp * steps), 0, 1)
    signal = -np.sin(2 * np.pi * n / steps) * np.sin(np.pi / 2 * envelope) ** 2  # of the surface's acceleration
    positions, areas = quarter(source, spacing_m)
    first = LAYERS[case][0][1]
    amplitudes = 2 * first.rho_kg_m3 * SURFACE_VELOCITY_M_S * OMEGA * areas  # Rayleigh's integral
    table = np.column_stack([positions, np.ones(len(areas)), amplitudes])
    file = Path(folder) / "source.csv"
    np.savetxt(file, table, delimiter=",", header="x,y,z,shot,amplitude", comments="", fmt="%.9g,%.9g,%.9g,%d,%.9g")
    nodes = [round(half_width_m / spacing_m) + 1] * 2 + [round(depth_m / spacing_m) + 2 * BEYOND]
    first_m = (0.5 - BEYOND) * spacing_m
    config = {
        "title": f"Transcranial benchmark, case {case}, {source}",
        "grid": {"shape": nodes, "spacing_m": spacing_m, "origin_m": [0.0, 0.0, first_m]},
        "model": model_of(case),
        "time": {"duration_s": (count + 0.5) * dt, "dt_s": dt, "dispersion_correction": False},
        "scheme": {"space_order": 2 * STENCIL_RADIUS},
        "boundary": {
            "x_min": "rigid",
            "y_min": "rigid",
            "cpml_width": ABSORBING_NODES,
            "cpml_frequency_hz": FREQUENCY_HZ,
        },
        "wavelet": {"type": "samples", "dt_s": dt, "samples": signal},
        "sources": [{"type": "file", "file": str(file)}],
        "output": {
            "snapshots": {
                "times_s": [float(step * dt) for step in range(count - 5 * steps, count)],
                "window_min_m": [0.0, 0.0, first_m],
                "window_max_m": [half_width_m, 0.0, depth_m - first_m],
            }
        },
        "backend": {"name": backend},
    }
    if absorbs(case):
        # One mechanism has the absorption of one frequency, at every node.
        config["attenuation"] = {"reference_frequency_hz": FREQUENCY_HZ, "band_hz": [450e3, 550e3], "mechanisms": 1}
    return config, count, steps


def compute(case, source, spacing_m=0.5e-3, depth_m=120e-3, half_width_m=35e-3, backend="auto", progress=None):
    """The steady Field of a case by Onda, from Fourier sums over a period of snapshots at every time step.

    z begins at 0 m, half a spacing from nodes of the grid.
    """
    with tempfile.TemporaryDirectory() as folder:
        config, count, steps = configuration(case, source, spacing_m, depth_m, half_width_m, backend, folder)
        taken = onda.run(config, progress=progress).snapshots()
    phase = 2 * np.pi * np.arange(count - 5 * steps, count) / steps
    periods = [slice(0, steps), slice(4 * steps, 5 * steps)]
    early, late = (
        2 / steps * np.tensordot(np.exp(1j * phase[period]), taken.pressure[period, :, 0, :].astype(float), axes=1)
        for period in periods
    )
    unsteady = np.abs(np.abs(late) - np.abs(early)).max() / np.abs(late).max()
    z_m = spacing_m * np.arange(len(late) - 2 * BEYOND + 1)
    return Field(between_nodes(late), z_m, taken.x_m, unsteady)


def between_nodes(values):
    """Midway between the nodes of the first axis: the polynomial through the 2 BEYOND nearest ones."""
    at = np.arange(2 * BEYOND) + 0.5 - BEYOND
    weights = [np.prod([other / (other - own) for other in at if other != own]) for own in at]
    count = len(values) - 2 * BEYOND + 1
    return sum(weight * values[i : i + count] for i, weight in enumerate(weights))


def bessel_j0(argument):
    """J0 of complex numbers of up to 200 in magnitude, from its integral: the trapezoidal rule is exact to rounding."""
    phi = np.pi / 2 * (np.arange(64) + 0.5) / 64
    return sum(np.cos(argument * np.sin(angle)) for angle in phi) / len(phi)


def radiated(source, kappa, gamma):
    """What a source sends towards greater z into water: p = integral of it exp(i gamma z) J0(kappa r) over kappa."""
    rows = zip(*rings(source, 96))
    surface = sum(a * bessel_j0(kappa * at) * np.exp(-1j * gamma * depth) for at, depth, a in rows)
    acceleration = -1j * OMEGA * SURFACE_VELOCITY_M_S
    return 2 * WATER.rho_kg_m3 * acceleration * surface * 1j * kappa / (4 * np.pi * gamma)


def exact(case, source, z_m, r_m):
    """The exact Field of a flat case, below the source, as an integral over plane waves (Hankel transform).

    The path of integration runs below the real axis of kappa, away from the branch points of all layers. For depths
    from 5 mm below the source on.
    """
    media = [medium for _, medium in LAYERS[case]]
    end, below = 2.5 * max(medium.wavenumber.real for medium in media), 50.0  # 1/m
    t = end * (np.arange(1600) + 0.5) / 1600
    kappa = t - 1j * below * np.sin(np.pi * t / end)
    step = end / len(t) - 1j * below * np.pi / len(t) * np.cos(np.pi * t / end)
    gamma = [np.sqrt(medium.wavenumber**2 - kappa**2) for medium in media]  # the imaginary part is positive
    waves = [step * wave for wave in through_layers(LAYERS[case], gamma, radiated(source, kappa, gamma[0]), z_m)]
    across = np.stack([bessel_j0(kappa * r) for r in r_m], axis=1)
    return Field(np.stack([wave @ across for wave in waves]), np.asarray(z_m), np.asarray(r_m))


def through_layers(layers, gamma, sent, z_m):
    """Plane waves at depths z_m, of waves `sent` from above, by recursion from the deepest interface up."""
    tops = [top for top, _ in layers]
    delay = [np.exp(1j * g * (below - top)) for g, top, below in zip(gamma, tops, tops[1:])] + [0.0]
    admittance = [g / medium.rho_kg_m3 for g, (_, medium) in zip(gamma, layers)]
    reflected = [0.0] * len(layers)  # from below each layer, as a part of the wave at its top
    transmitted = [1.0] * len(layers)  # into each layer, as a part of the wave above its top
    for i in reversed(range(1, len(layers))):
        r = (admittance[i - 1] - admittance[i]) / (admittance[i - 1] + admittance[i])
        repeated = 1 + r * reflected[i]
        transmitted[i] = (1 + r) / repeated
        reflected[i - 1] = delay[i - 1] ** 2 * (r + reflected[i]) / repeated
    down = [sent]
    for i in range(1, len(layers)):
        down.append(down[-1] * delay[i - 1] * transmitted[i])
    for z in z_m:
        i = int(np.searchsorted(tops, z, side="right")) - 1
        forth = np.exp(1j * gamma[i] * (z - tops[i]))
        yield down[i] * (forth + reflected[i] / forth if np.any(reflected[i]) else forth)


def on_axis(source, z_m):
    """The exact pressure amplitude on the axis in water, in Pa: O'Neil (1949) for the bowl, and the piston's."""
    k, z = WATER.wavenumber.real, np.asarray(z_m)
    p = WATER.rho_kg_m3 * WATER.vp_m_s * SURFACE_VELOCITY_M_S
    if source == "piston":
        return 2 * p * np.abs(np.sin(k / 2 * (np.hypot(z, PISTON_DIAMETER_M / 2) - z)))
    height = BOWL_RADIUS_M * (1 - np.cos(np.pi / 6))
    edge = np.hypot(z - height, BOWL_RADIUS_M / 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        amplitude = 2 * p * np.abs(np.sin(k / 2 * (edge - z)) / (1 - z / BOWL_RADIUS_M))
    return np.where(np.isclose(z, BOWL_RADIUS_M), p * k * height, amplitude)


@dataclass
class Focus:
    """Where the amplitude is largest, beyond the depth where the brain begins; for the piston, on its axis at 60 mm."""

    amplitude_pa: float
    z_m: float
    r_m: float
    axial_m: float  # the length along z over which the amplitude is more than half as large; NaN for the piston
    lateral_m: float  # likewise across z


def focus_of(amplitude, source, z_m, r_m):
    """The Focus of amplitudes [z][r]."""
    if source == "piston":
        i, j = int(np.argmin(np.abs(z_m - PISTON_PROFILE_M))), 0
    else:
        beyond = np.where(z_m[:, np.newaxis] > BRAIN_DEPTH_M + 1e-9, amplitude, 0)
        i, j = np.unravel_index(np.argmax(beyond), beyond.shape)
    across = np.concatenate([amplitude[i, :0:-1], amplitude[i]])
    axial = float("nan") if source == "piston" else width(amplitude[:, j], i)
    lateral = width(across, j + len(r_m) - 1)
    return Focus(amplitude[i, j], z_m[i], r_m[j], axial * (z_m[1] - z_m[0]), lateral * (r_m[1] - r_m[0]))


def width(profile, peak):
    """The distance, in samples, between the places on both sides of a peak where it has fallen to half; NaN if not."""
    half, ends = profile[peak] / 2, []
    for side in (profile[peak::-1], profile[peak:]):
        below = np.flatnonzero(side < half)
        if not len(below):
            return float("nan")
        i = below[0]
        ends.append(i - 1 + (side[i - 1] - half) / (side[i - 1] - side[i]))
    return sum(ends)


def published(folder, case, source):
    """Amplitudes [z][r] of the programs of the paper, by their names: the half-plane where r grows."""
    fields = {}
    for file in sorted(Path(folder).glob(f"**/PH1-BM{case}-SC{2 if source == 'piston' else 1}_*")):
        if file.suffix not in (".mat", ".h5"):
            continue
        amplitude = read_amplitude(file)
        amplitude = amplitude if amplitude.shape == (241, 141) else amplitude.T
        if amplitude.shape != (241, 141):
            raise SystemExit(f"{file}: p_amp must have 241 x 141 values, not {amplitude.shape}")
        fields[file.stem.partition("_")[2]] = amplitude[:, 70:]
    if not fields:
        raise SystemExit(f"{folder}: no PH1-BM{case}-SC… in it or its folders")
    return fields


def read_amplitude(file):
    """p_amp of a file, in Pa, in the order of its axes there."""
    import h5py

    if h5py.is_hdf5(file):
        with h5py.File(file, "r") as opened:
            return opened["p_amp"][:]
    from scipy.io import loadmat

    return loadmat(file)["p_amp"]


def write(folder, case, source, field):
    """A file as the programs of the paper read it, whose phases are of exp(+i omega t)."""
    import h5py

    Path(folder).mkdir(parents=True, exist_ok=True)
    plane = np.concatenate([field.pressure[:, :0:-1], field.pressure], axis=1).T.conj()  # [across][z]
    file = Path(folder) / f"PH1-BM{case}-SC{2 if source == 'piston' else 1}_ONDA.h5"
    with h5py.File(file, "w") as opened:
        opened["p_amp"] = np.abs(plane)
        opened["p_phase"] = np.angle(plane)
    print(f"  written: {file}")


def difference(found, expected):
    """L2 and largest difference of amplitudes or of complex pressures, in per cent, of those expected."""
    apart = np.abs(found - expected)
    l2 = np.sqrt((apart**2).sum() / (np.abs(expected) ** 2).sum())
    return 100 * l2, 100 * apart.max() / np.abs(expected).max()


def tell(name, focus):
    print(
        f"  {name:<10} {focus.amplitude_pa / 1e3:8.2f} kPa at z {1e3 * focus.z_m:6.2f} mm, r {1e3 * focus.r_m:4.2f} mm;"
        f" -6 dB: {1e3 * focus.axial_m:6.2f} mm along, {1e3 * focus.lateral_m:5.2f} mm across"
    )


def compare_with_exact(case, source, field, focus):
    """Tells how far a field is from the exact solution, where there is one."""
    if case in CURVED:
        return
    start = 5e-3 if source == "piston" else 9.5e-3  # below the rim of the bowl
    rows = field.z_m > start - 1e-9
    reference = exact(case, source, field.z_m[rows], field.r_m)
    best = focus_of(np.abs(reference.pressure), source, reference.z_m, reference.r_m)
    tell("exact", best)
    l2, largest = difference(field.pressure[rows], reference.pressure)
    print(
        f"  Onda - exact: {100 * (focus.amplitude_pa / best.amplitude_pa - 1):+.2f} % of focal pressure,"
        f" {1e3 * apart(focus, best):.2f} mm; whole field, with phases: L2 {l2:.2f} %, largest {largest:.2f} %"
    )
    if case == 1:
        on = difference(np.abs(field.pressure[rows, 0]), on_axis(source, field.z_m[rows]))
        print(f"  Onda - closed form on the axis, amplitudes: L2 {on[0]:.2f} %, largest {on[1]:.2f} %")


def apart(one, other):
    return float(np.hypot(one.z_m - other.z_m, one.r_m - other.r_m))


def compare_with_published(case, source, field, focus, folder):
    """Tells how far a field is from that of each program of the paper, and the medians."""
    rows = field.z_m > (0.25e-3 if source == "piston" else 9.25e-3)  # from where the paper compares
    numbers = []
    for name, amplitude in published(folder, case, source).items():
        amplitude = amplitude[: len(field.z_m), : len(field.r_m)]
        theirs = focus_of(amplitude, source, field.z_m, field.r_m)
        tell(name, theirs)
        of_focus = 100 * abs(focus.amplitude_pa / theirs.amplitude_pa - 1)
        fields = difference(np.abs(field.pressure[rows]), amplitude[rows])
        numbers.append((of_focus, 1e3 * apart(focus, theirs), *fields))
    pressure, position, l2, largest = np.median(numbers, axis=0)
    print(
        f"  median difference from {len(numbers)}: {pressure:.2f} % of focal pressure, {position:.2f} mm;"
        f" amplitudes: L2 {l2:.2f} %, largest {largest:.2f} %"
    )


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--case", type=int, nargs="+", choices=range(1, 7), default=[1])
    parser.add_argument("--source", nargs="+", choices=("bowl", "piston"), default=["bowl", "piston"])
    parser.add_argument("--spacing-mm", type=float, default=0.5, help="of the grid: 0.5 divided by a whole number")
    parser.add_argument("--depth-mm", type=float, default=120.0, help="of the field along the axis (the paper: 120)")
    parser.add_argument("--half-width-mm", type=float, default=35.0, help="from the axis (the paper: 35)")
    parser.add_argument("--backend", default="auto", help="as backend.name: auto, cpu, cuda")
    parser.add_argument("--published", metavar="FOLDER", help="the data of doi:10.5281/zenodo.6020543")
    parser.add_argument("--write", metavar="FOLDER", help="where fields are written to, as the data of the paper are")
    given = parser.parse_args()
    if not 0 < given.spacing_mm <= 0.5 or abs(0.5 / given.spacing_mm - round(0.5 / given.spacing_mm)) > 1e-9:
        parser.error(f"--spacing-mm: must be 0.5 divided by a whole number, not {given.spacing_mm:g}")
    if given.write and (given.depth_mm, given.half_width_mm) != (120, 35):
        parser.error("--write: files like those of the paper take the whole field: omit --depth-mm and --half-width-mm")
    return given


def main():
    given = arguments()
    for case in given.case:
        for source in given.source:
            print(f"case {case}, {source}, grid of {given.spacing_mm:g} mm", flush=True)
            field = compute(
                case,
                source,
                given.spacing_mm * 1e-3,
                given.depth_mm * 1e-3,
                given.half_width_mm * 1e-3,
                given.backend,
            ).sampled()
            focus = focus_of(np.abs(field.pressure), source, field.z_m, field.r_m)
            tell("Onda", focus)
            print(f"  amplitudes change by {100 * field.unsteady:.3f} % in the last four periods")
            compare_with_exact(case, source, field, focus)
            if given.published:
                compare_with_published(case, source, field, focus, given.published)
            if given.write:
                write(given.write, case, source, field)


if __name__ == "__main__":
    sys.exit(main())
