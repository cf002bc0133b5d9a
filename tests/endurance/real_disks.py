#!/usr/bin/env python3
"""Runs a survey with checkpoints on disks that fail as real ones do: an ext4 that the kernel makes read-only at a random
moment, one that loses all that has not been synced, journal included, as where power fails, and a btrfs whose quota is
used up, at quotas of many sizes. Each run must end with a documented exit code and a message that names a file and the
reason, or complete; once the disk is repaired, the same command must complete it, to the results of a run that nothing
has disturbed. Ends with 1 where one does not. Needs root, loop devices, and for quotas btrfs-progs. While it runs, nobody
may make a namespace of mounts, in which a file system that has failed would live on.

    sudo tests/endurance/real_disks.py build/default/onda
    sudo tests/endurance/real_disks.py build/default/onda --remounts 200 --quotas 0

Takes five minutes.
"""

import argparse
import collections
import fcntl
import json
import os
import pathlib
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import time

SURVEY = """schema_version: 1
grid: {shape: [81, 61], spacing_m: 10}
model: {type: layered, layers: [{top_m: 0, vp_m_s: 1500}, {top_m: 300, vp_m_s: 2200}]}
time: {duration_s: 4}
boundary: {cpml_width: 6}
wavelet: {type: ricker, peak_frequency_hz: 12}
sources: [{type: line, first_m: [40, 50], last_m: [760, 50], count: 6}]
receivers: [{type: line, first_m: [20, 20], last_m: [780, 20], count: 39}]
output: {snapshots: {every_s: 0.2}, seismograms: {segy: ieee}, pictures: false, report: false}
checkpoint: {every_minutes: 0.0005}
backend: {name: cpu, threads: 1, batch: 2}
"""
ENDS = {0, 66, 73, 74}  # completed; the configuration could not be opened; could not create; input or output failed
DISK_MB = 160


def command(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


class Disk:
    """A file system in a file, mounted at a folder."""

    def __init__(self, place, make, options):
        self.image, self.folder, self.options = place / "disk", place / "mounted", options
        self.folder.mkdir()
        with open(self.image, "wb") as image:
            image.truncate(DISK_MB << 20)
        command(*make, str(self.image))
        self.mount()

    def mount(self):
        command("mount", "-o", self.options, str(self.image), str(self.folder))

    def unmount(self):
        command("umount", str(self.folder))


def begin(onda, folder):
    """Starts a run in a folder, whose messages go to a pipe."""
    return subprocess.Popen([onda, "run", "run.yaml", "--output", "out"], cwd=folder, stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE, text=True)


def hashes(folder):
    return json.loads((folder / "out" / "summary.json").read_text())["hashes"]


class Judge:
    """What runs have ended with, and what was wrong."""

    def __init__(self, name, expected):
        self.name, self.expected, self.codes, self.faults = name, expected, collections.Counter(), []

    def ended(self, what, process, reasons):
        messages = process.communicate()[1]
        code = process.returncode
        self.codes[code] += 1
        if code not in ENDS:
            self.faults.append(f"{what}: exit code {code}\n{messages}")
        elif code != 0 and not (any(reason in messages for reason in reasons) and "error: " in messages):
            self.faults.append(f"{what}: exit code {code} without the reason\n{messages}")

    def completed(self, what, onda, folder):
        process = begin(onda, folder)
        messages = process.communicate()[1]
        if process.returncode != 0:
            self.faults.append(f"{what}: the same command ended with {process.returncode} on the repaired disk\n{messages}")
        elif hashes(folder) != self.expected:
            self.faults.append(f"{what}: other results")
        elif list(folder.glob("out/**/*.partial-*")) or (folder / "out" / "unfinished").exists():
            self.faults.append(f"{what}: something unfinished is left")

    def report(self):
        seen = ", ".join(f"{times} x {code}" for code, times in sorted(self.codes.items()))
        print(f"{self.name}: {sum(self.codes.values())} runs, by exit code: {seen}; "
              + ("all completed later, to the same results" if not self.faults else f"{len(self.faults)} FAULTS"))
        for fault in self.faults:
            print(fault)
        return bool(self.faults)


def make_read_only(disk):
    """As the kernel does after an error of the disk."""
    device = command("findmnt", "-n", "-o", "SOURCE", str(disk.folder)).strip()
    pathlib.Path(f"/sys/fs/ext4/{pathlib.Path(device).name}/trigger_fs_error").write_text("1")


def cut_power(disk):
    """What is not on the disk is lost, the file system's journal included (EXT4_IOC_SHUTDOWN without a flush)."""
    shutdown, without_flush = 0x8004587D, 2
    folder = os.open(disk.folder, os.O_RDONLY)
    try:
        fcntl.ioctl(folder, shutdown, struct.pack("I", without_flush))
    finally:
        os.close(folder)


def broken(onda, place, name, fault, times, expected, duration_s):
    """An ext4 that meets a fault at random moments of a run."""
    judge = Judge(f"ext4 {name}", expected)
    for i in range(times):
        spot = place / f"{fault.__name__}{i}"
        spot.mkdir()
        disk = Disk(spot, ["mkfs.ext4", "-q", "-F"], "loop,errors=remount-ro")
        (disk.folder / "run.yaml").write_text(SURVEY)
        os.sync()
        process = begin(onda, disk.folder)
        time.sleep(random.random() * duration_s)
        fault(disk)
        judge.ended(f"{name}, {i}", process, ["Read-only file system", "Input/output error"])
        disk.unmount()
        if fault is make_read_only:  # after a loss of power its journal is all that a file system has
            subprocess.run(["e2fsck", "-f", "-y", str(disk.image)], check=False, capture_output=True)
        disk.mount()
        judge.completed(f"{name}, {i}", onda, disk.folder)
        disk.unmount()
        shutil.rmtree(spot)
    return judge.report()


def within_quotas(onda, place, times, expected, most_kb):
    """Quotas from next to nothing to more than enough."""
    judge = Judge("btrfs with a quota", expected)
    disk = Disk(place, ["mkfs.btrfs", "-q", "-f"], "loop")
    command("btrfs", "quota", "enable", str(disk.folder))
    for i in range(times):
        folder = disk.folder / f"quota{i}"
        command("btrfs", "subvolume", "create", str(folder))
        (folder / "run.yaml").write_text(SURVEY)
        os.sync()
        command("btrfs", "qgroup", "limit", f"{64 + (most_kb - 64) * i // max(1, times - 1)}K", str(folder))
        judge.ended(f"quota {i}", begin(onda, folder), ["Disk quota exceeded", "No space left"])
        command("btrfs", "qgroup", "limit", "none", str(folder))
        judge.completed(f"quota {i}", onda, folder)
        command("btrfs", "subvolume", "delete", str(folder))
    disk.unmount()
    return judge.report()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("onda", help="the program")
    parser.add_argument("--remounts", type=int, default=64, help="read-only remounts (default: 64)")
    parser.add_argument("--power-losses", type=int, default=64, help="losses of power (default: 64)")
    parser.add_argument("--quotas", type=int, default=64, help="sizes of quotas (default: 64)")
    options = parser.parse_args()
    if os.geteuid() != 0:
        sys.exit("only root mounts file systems")
    onda = str(pathlib.Path(options.onda).resolve())
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        (place / "run.yaml").write_text(SURVEY)
        begun = time.monotonic()
        process = begin(onda, place)
        messages = process.communicate()[1]
        if process.returncode != 0:
            sys.exit(f"an undisturbed run ended with {process.returncode}:\n{messages}")
        duration_s = time.monotonic() - begun
        size_kb = sum(file.stat().st_size for file in place.rglob("*") if file.is_file()) // 1024
        print(f"an undisturbed run takes {duration_s:.2f} s and leaves {size_kb} kB")
        expected = hashes(place)
        failed = broken(onda, place, "made read-only", make_read_only, options.remounts, expected, duration_s)
        failed |= broken(onda, place, "without power", cut_power, options.power_losses, expected, duration_s)
        if options.quotas:
            failed |= within_quotas(onda, place, options.quotas, expected, 3 * size_kb)
    sys.exit(failed)


if __name__ == "__main__":
    main()
