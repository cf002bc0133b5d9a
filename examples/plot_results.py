"""Plots the results of a run: shot gather, spectrum of a trace, snapshots over slices of the model.

    python3 examples/plot_results.py results/demo
    python3 examples/plot_results.py results/demo --shot 2 --model model.h5 --output figures

Saves PNG files to --output (default: the results folder) and shows them where there is a display. The cells (# %%)
run one by one in Spyder, VS Code and Jupyter. Needs python3-h5py, python3-numpy and python3-matplotlib.
"""

# %% Settings
import argparse
import os
import sys
from pathlib import Path

import matplotlib

if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY") or sys.platform in ("darwin", "win32")):
    matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))
from onda_results import list_shots, read_gather, read_model, read_snapshot, read_snapshot_times

parser = argparse.ArgumentParser(description="Plots the results of `onda run`.")
parser.add_argument("folder", type=Path, help="what `onda run` wrote")
parser.add_argument("--shot", type=int, help="shot number; default: the first")
parser.add_argument("--trace", type=int, help="receiver for the spectrum, from 1; default: the middle one")
parser.add_argument("--model", type=Path, help="model file (HDF5) to draw under the snapshots")
parser.add_argument("--output", type=Path, help="folder for the PNG files; default: the results folder")
args = parser.parse_args()
if not (args.folder / "seismograms.h5").is_file():
    parser.error(f"{args.folder} holds no seismograms.h5: name a folder that `onda run` wrote")

shots = list_shots(args.folder)
if args.shot is not None and args.shot not in shots:
    there_are = f"{shots[0]} to {shots[-1]}" if len(shots) > 20 else ", ".join(map(str, shots))
    verb = "are" if shots[1:] else "is"
    parser.error(f"--shot {args.shot}: there is no such shot in {args.folder}; there {verb} {there_are}")
if args.model is not None and not args.model.is_file():
    parser.error(f"--model {args.model}: no such file")

gather = read_gather(args.folder, args.shot)
receivers, samples = gather.pressure.shape
if args.trace is not None and not 1 <= args.trace <= receivers:
    parser.error(f"--trace {args.trace}: shot {gather.shot} has the receivers 1 to {receivers}")

output = args.output or args.folder
output.mkdir(parents=True, exist_ok=True)


def finish(figure, name):
    figure.savefig(output / name, dpi=120)
    print(output / name)


# %% Shot gather: positive pressure is black, clipped at the 99th percentile
clip = np.percentile(np.abs(gather.pressure), 99) or 1.0

figure, axes = plt.subplots(figsize=(10, 7), constrained_layout=True)
image = axes.imshow(
    gather.pressure.T,
    cmap="gray_r",
    vmin=-clip,
    vmax=clip,
    aspect="auto",
    extent=(0.5, receivers + 0.5, gather.time_s[-1], gather.time_s[0]),
)
axes.set(xlabel="Receiver", ylabel="Time (s)", title=f"Pressure at the receivers of shot {gather.shot}")
figure.colorbar(image, label="Pressure (Pa)")
finish(figure, "plot_gather.png")

# %% One trace and its amplitude spectrum
trace = receivers // 2 if args.trace is None else args.trace - 1
values = gather.pressure[trace].astype(float)
dt_s = gather.time_s[1] - gather.time_s[0]
frequency_hz = np.fft.rfftfreq(samples, dt_s)
amplitude = np.abs(np.fft.rfft(values)) * dt_s
level_db = 20 * np.log10(np.maximum(amplitude, 1e-12 * amplitude.max()) / (amplitude.max() or 1.0) + 1e-30)

figure, (above, below) = plt.subplots(2, figsize=(10, 7), constrained_layout=True)
x, y, z = gather.receivers_m[trace]
above.plot(gather.time_s, values, color="k", linewidth=1)
above.set(
    xlabel="Time (s)", ylabel="Pressure (Pa)", title=f"Receiver {trace + 1} at x = {x:g} m, y = {y:g} m, z = {z:g} m"
)
below.plot(frequency_hz, level_db, color="k", linewidth=1)
heard = frequency_hz[level_db > -60]
below.set(xlabel="Frequency (Hz)", ylabel="Amplitude (dB re maximum)", ylim=(-80, 3))
below.set_xlim(0, 1.3 * heard[-1] if heard.size and heard[-1] > 0 else frequency_hz[-1])
below.grid(alpha=0.3)
finish(figure, "plot_spectrum.png")


# %% Snapshots through the first source, over the model where --model names one
def draw_slice(axes, snapshot, model, source_m, across):
    pressure, horizontal, vertical = snapshot.slice_through(source_m, across)
    extent = (horizontal[0], horizontal[-1], vertical[-1], vertical[0])
    if model is not None:
        vp, model_horizontal, model_vertical = model.slice_through(source_m, across)
        model_extent = (model_horizontal[0], model_horizontal[-1], model_vertical[-1], model_vertical[0])
        axes.imshow(vp, cmap="Greys", alpha=0.35, extent=model_extent, interpolation="bilinear")
    clip = np.percentile(np.abs(pressure), 99.5) or 1.0
    # Red where positive, blue where negative, transparent where there is no wave, so that the model is seen.
    colours = np.where(pressure[..., np.newaxis] > 0, (0.8, 0.0, 0.1, 1.0), (0.0, 0.25, 0.8, 1.0))
    colours[..., 3] = 0.9 * np.minimum(np.abs(pressure) / clip, 1.0) ** 0.8
    axes.imshow(colours, extent=extent, interpolation="bilinear")
    axes.set_xlim(extent[0], extent[1])
    axes.set_ylim(extent[2], extent[3])
    axes.set_xlabel("y (m)" if across == "x" else "x (m)")
    axes.set_ylabel("y (m)" if across == "z" else "Depth (m)")
    axes.set_title(f"through {across} = {source_m['xyz'.index(across)]:g} m; full colour: {clip:.2g} Pa", fontsize=10)


if (args.folder / "snapshots.h5").exists() and gather.shot in list_shots(args.folder, "snapshots.h5"):
    model = read_model(args.model) if args.model else None
    times_s = read_snapshot_times(args.folder, gather.shot)
    for index in range(max(0, len(times_s) - 3), len(times_s)):
        snapshot = read_snapshot(args.folder, gather.shot, index)
        across = "y" if snapshot.y_m.size == 1 else "yxz"
        figure, panels = plt.subplots(
            1, len(across), figsize=(6 * len(across) + 2, 5), constrained_layout=True, squeeze=False
        )
        for axes, direction in zip(panels[0], across):
            draw_slice(axes, snapshot, model, gather.sources_m[0], direction)
        figure.suptitle(f"Pressure of shot {gather.shot} at {times_s[index]:.4f} s")
        finish(figure, f"plot_snapshot_{times_s[index]:.4f}s.png")
else:
    print("no snapshots of this shot")

# %% Show
if matplotlib.get_backend().lower() != "agg":
    plt.show()
