"""Compares seismograms.segy and seismograms.su of a run with its seismograms.h5, read by segyio and h5py.

Usage: segyio_reads.py FOLDER ieee|ibm
Exit codes: 0 equal, 1 not.
"""

import sys
from pathlib import Path

import h5py
import numpy as np
import segyio
import segyio.su
from segyio import TraceField as T


def expect(what, found, wanted):
    if not np.array_equal(found, wanted):
        print(f"wrong {what}: found {found}, wanted {wanted}")
        sys.exit(1)


def read_shots(folder):
    """Traces of all shots in order, and a dictionary of header values for each."""
    traces, headers = [], []
    with h5py.File(folder / "seismograms.h5") as results:
        for shot in sorted(results["shots"], key=int):
            group = results["shots"][shot]
            source = group["sources"][0]
            pressure, offsets = group["pressure"], group["offset_m"][:]
            for i, (x, y, z) in enumerate(group["receivers"][:]):
                traces.append(pressure[i])
                headers.append(
                    {
                        T.TRACE_SEQUENCE_LINE: len(traces),
                        T.FieldRecord: int(shot),
                        T.TraceNumber: i + 1,
                        T.SourceX: source[0],
                        T.SourceY: source[1],
                        T.SourceDepth: source[2],
                        T.GroupX: x,
                        T.GroupY: y,
                        T.ReceiverGroupElevation: -z,
                        T.offset: offsets[i],
                        T.TRACE_SAMPLE_COUNT: pressure.shape[1],
                        T.TRACE_SAMPLE_INTERVAL: pressure.attrs["dt_s"] * 1e6,
                    }
                )
    return np.array(traces), headers


SCALED = {
    T.SourceX: T.SourceGroupScalar,
    T.SourceY: T.SourceGroupScalar,
    T.GroupX: T.SourceGroupScalar,
    T.GroupY: T.SourceGroupScalar,
    T.SourceDepth: T.ElevationScalar,
    T.ReceiverGroupElevation: T.ElevationScalar,
}


def check_headers(file, headers):
    for i, wanted in enumerate(headers):
        found = file.header[i]
        for field, value in wanted.items():
            parts = -found[SCALED[field]] if field in SCALED else 1
            tolerance = 0.5000001 / parts
            if parts < 1 or abs(found[field] / parts - value) > tolerance:
                expect(f"{field} of trace {i}", found[field] / parts, value)


def check_samples(found, wanted, samples):
    expect("shape", found.shape, wanted.shape)
    if samples == "ieee":
        expect("bits of the samples", found.view(np.uint32), wanted.view(np.uint32))
    elif (np.abs(found.astype(float) - wanted) > np.ldexp(np.abs(wanted.astype(float)), -20)).any():
        expect("IBM samples", found, wanted)


def main():
    folder, samples = Path(sys.argv[1]), sys.argv[2]
    traces, headers = read_shots(folder)
    with segyio.open(folder / "seismograms.segy", ignore_geometry=True) as file:
        check_samples(file.trace.raw[:], traces, samples)
        check_headers(file, headers)
        expect("format", int(file.format), {"ieee": 5, "ibm": 1}[samples])
        expect("revision", file.bin[segyio.BinField.SEGYRevision], 0x0100)
        expect("last line", file.text[0][-80:].decode().rstrip(), "C40 END TEXTUAL HEADER")
    with segyio.su.open(folder / "seismograms.su", endian="little", ignore_geometry=True) as file:
        check_samples(file.trace.raw[:], traces, "ieee")
        check_headers(file, headers)
    print(f"segyio reads {folder}: {len(headers)} traces, {samples}")


main()
