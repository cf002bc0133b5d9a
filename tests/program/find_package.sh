#!/bin/sh
# Promise: find_package(onda) works where Onda was installed, and nowhere leads back to the build: examples/find_package,
# compiled with the installed libraries and headers, gives the pressures that it should.
# The commands are those of docs/install.md.
# Usage: find_package.sh SOURCE_DIR BUILD_DIR CXX_COMPILER
set -eu
source=$1 build=$2 compiler=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

cmake --install "$build" --component development --prefix "$folder/first" >"$folder/installed"
mv "$folder/first" "$folder/onda" # packages are moved, too
if grep -rlF "$build" "$folder/onda/lib" --include='*.cmake'; then
    echo "the files above name the build folder"
    exit 1
fi
cp -r "$source/examples/find_package" "$folder/example"
cmake -G Ninja -S "$folder/example" -B "$folder/build" -DCMAKE_PREFIX_PATH="$folder/onda" -DCMAKE_CXX_COMPILER="$compiler"
cmake --build "$folder/build"
"$folder/build/gather" >"$folder/traces"
cat "$folder/traces"
[ "$(grep -c '^offset' "$folder/traces")" = 7 ]
# The trace above the source is the strongest, and the others are so by pairs.
awk '{ p[NR] = $6 } END { exit !(p[4] > p[3] && p[3] > p[2] && p[2] > p[1] && p[1] == p[7]) }' "$folder/traces"
