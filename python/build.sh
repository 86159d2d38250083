#!/usr/bin/env bash
# Builds the wheel and the source archive into a folder: python/build.sh release dist
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
profile=$1 folder=$2
source python/environment.sh

quietly() { "$@" >"$log" 2>&1 || { cat "$log" >&2; return 1; }; }
log=$(mktemp)
trap 'rm -f "$log"' EXIT

quietly maturin build --profile "$profile" --locked --manifest-path python/Cargo.toml --out "$folder"
quietly maturin sdist --manifest-path python/Cargo.toml --out "$folder"
