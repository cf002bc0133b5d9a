#!/usr/bin/env python3
"""Runs `onda run` for long, one shot of many steps and a survey of many shots, each in one process, and looks five times a
second at what that process holds: memory, descriptors, files. None of these may grow. Ends with 1 where one does.

    tests/endurance/soak.py build/default/onda
    tests/endurance/soak.py build/default/onda --steps 5000000 --shots 20000

What is seen in the first tenth of a run is what the rest is held against, until its last step: afterwards files are put
together. Takes five minutes on two busy cores.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

PAUSE_S = 0.2
RSS_MB = 2  # pages that allocators and threads come to use only after the first tenth
BATCH = 4
DESCRIPTORS = 4 * BATCH  # seismograms and snapshots of a batch that is computed, and of one that is finished
CHECKPOINTS = 2 + 1  # of a shot: the two that are kept, and one between its last byte and the removal of the eldest
FILES_OF_SHOT = 2
PARTS_OF_REPORT = 24  # shots that the page shows; their parts come one by one
OTHER_FILES = PARTS_OF_REPORT + BATCH * (FILES_OF_SHOT * 2 + CHECKPOINTS + 1)  # of two batches, one with its checkpoints
CHECKPOINT = re.compile(r"(\d+)\.checkpoint(-before)?")

# Three of its faces reflect all: the wave is there to the last step.
LONG_SHOT = """schema_version: 1
grid: {{shape: [201, 201], spacing_m: 10}}
model: {{type: constant, vp_m_s: 2000}}
time: {{duration_s: {duration_s}, dt_s: {dt_s}}}
boundary: {{left: rigid, right: rigid, top: free_surface, bottom: rigid}}
wavelet: {{type: ricker, peak_frequency_hz: 3}}
sources: [{{position_m: [990, 510]}}]
receivers: [{{position_m: [400, 300]}}]
output: {{pictures: false, report: false, snapshots: {{every_steps: {snapshot_steps}}}}}
checkpoint: {{every_minutes: 0.0167}}
backend: {{name: cpu, threads: 1}}
"""
MANY_SHOTS = """schema_version: 1
grid: {{shape: [41, 31], spacing_m: 10}}
model: {{type: layered, layers: [{{top_m: 0, vp_m_s: 1500}}, {{top_m: 200, vp_m_s: 2200}}]}}
time: {{duration_s: 0.15}}
boundary: {{cpml_width: 6}}
wavelet: {{type: ricker, peak_frequency_hz: 12}}
sources: [{{type: line, first_m: [40, 50], last_m: [360, 50], count: {shots}}}]
receivers: [{{type: line, first_m: [20, 20], last_m: [380, 20], count: 9}}]
output: {{snapshots: {{times_s: [0.1]}}}}
checkpoint: {{every_minutes: 0.00001}}
backend: {{name: cpu, batch: {batch}, threads: 2}}
"""


def text_of(path):
    """Of a file that may go at any moment."""
    try:
        return path.read_text()
    except OSError:
        return ""


class Sample:
    """What a process holds at a moment; no memory once it has ended."""

    def __init__(self, process, out):
        resident = re.search(r"VmRSS:\s*(\d+) kB", text_of(pathlib.Path(f"/proc/{process.pid}/status")))
        self.rss_mb = int(resident[1]) / 1024 if resident else None
        try:
            self.descriptors = len(os.listdir(f"/proc/{process.pid}/fd"))
        except OSError:
            self.descriptors = 0
        names = [name for _, _, files in os.walk(out) for name in files]
        self.files = len(names)
        checkpoints = [match[1] for name in names if (match := CHECKPOINT.fullmatch(name))]
        self.checkpoints = max(map(checkpoints.count, checkpoints), default=0)
        self.finished = len(re.findall(r"[0-9a-f]{16}$", text_of(out / "unfinished" / "shots.csv"), re.MULTILINE))
        self.steps_done = re.search(r"step (\d+)/\1 ", text_of(out / "onda.log")) is not None


def samples_of(onda, config, folder, shots):
    """Samples until the last step of a run, and what it has left of checkpoints and unfinished files."""
    folder.mkdir()
    (folder / "run.yaml").write_text(config)
    out = folder / "out"
    samples = []
    with open(folder / "messages.txt", "w+") as messages:
        process = subprocess.Popen([onda, "run", folder / "run.yaml", "--output", out], stdout=messages, stderr=messages)
        try:
            while process.poll() is None:
                samples.append(Sample(process, out))
                time.sleep(PAUSE_S)
        finally:
            process.kill()
        messages.seek(0)
        if process.wait() != 0:
            sys.exit(f"onda run ended with {process.returncode}:\n{messages.read()}")
    # The table of shots goes when the survey is put together. The log tells the steps of a run of one shot.
    most = max(sample.finished for sample in samples)
    last = next((i for i, s in enumerate(samples)
                 if s.rss_mb is None or (s.steps_done if shots == 1 else s.finished == most)), len(samples))
    left = [name for _, folders, files in os.walk(out) for name in folders + files
            if CHECKPOINT.fullmatch(name) or ".partial-" in name or name == "unfinished"]
    return samples[:last], left


def judged(name, samples, left, trace_mb):
    """Prints what was seen, and what has grown. Returns whether anything has."""
    tenth = len(samples) // 10
    if tenth < 3:
        sys.exit(f"{name}: only {len(samples)} samples until the last step: take more steps or shots")
    before, after = samples[:tenth], samples[tenth:]
    faults = []

    def compare(what, first, most, allowed, unit=""):
        print(f"{name}: {what}: {first:.4g}{unit} in the first tenth, then {most:.4g}{unit}; allowed {allowed:.4g}{unit}")
        if most > allowed:
            faults.append(what)

    def most(of, part):
        return max(of(sample) for sample in part)

    for what, of, more, unit in (
            ("memory", lambda s: s.rss_mb, RSS_MB + trace_mb, " MB"),
            ("descriptors", lambda s: s.descriptors, DESCRIPTORS, ""),
            ("files beside those of finished shots", lambda s: s.files - FILES_OF_SHOT * s.finished, OTHER_FILES, "")):
        first = most(of, before)
        compare(what, first, most(of, after), first + more, unit)
    compare("checkpoints of a shot", most(lambda s: s.checkpoints, before), most(lambda s: s.checkpoints, after), CHECKPOINTS)
    print(f"{name}: {len(samples)} samples, {sum(s.checkpoints > 0 for s in samples)} of them with checkpoints; left at the end: "
          f"{', '.join(left) or 'nothing unfinished'}")
    if left:
        faults.append("what is left")
    if not any(s.checkpoints for s in samples):
        faults.append("no checkpoint was seen")
    print(f"{name}: " + (f"FAILED: {', '.join(faults)}" if faults else "passed"))
    return bool(faults)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("onda", help="the program")
    parser.add_argument("--steps", type=int, default=1_000_000, help="of the long shot (default: a million)")
    parser.add_argument("--shots", type=int, default=2000, help="of the survey (default: 2000)")
    parser.add_argument("--folder", help="where a temporary folder is made (default: that of the system)")
    options = parser.parse_args()
    onda = str(pathlib.Path(options.onda).resolve())
    dt_s = 0.002
    # While a checkpoint is being written, the samples of the trace until then are there twice more.
    trace_mb = 2 * 4 * options.steps / 1024**2
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        place = pathlib.Path(folder)
        long_shot = LONG_SHOT.format(duration_s=dt_s * options.steps, dt_s=dt_s, snapshot_steps=max(1, options.steps // 25))
        failed = judged("long shot", *samples_of(onda, long_shot, place / "long", 1), trace_mb)
        many_shots = MANY_SHOTS.format(shots=options.shots, batch=BATCH)
        failed |= judged("many shots", *samples_of(onda, many_shots, place / "many", options.shots), 0)
    sys.exit(failed)


if __name__ == "__main__":
    main()
