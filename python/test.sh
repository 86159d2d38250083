#!/usr/bin/env bash
# The Python package, built and used: ./build.sh test python
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source python/environment.sh
need_tools clusters.txt
command -v java >/dev/null || {
  echo "python/test.sh: Spark needs Java 17 or newer: 'apt-get install default-jre-headless'" >&2
  exit 1
}
export WANDERWORT=${WANDERWORT:-$PWD/target/debug/wanderwort}

cargo fmt --check --manifest-path python/Cargo.toml

rm -rf target/python/dist
python/build.sh dev target/python/dist
# Told what maturin tells the bindings, they need not be compiled anew, nor again for the next wheel.
PYO3_BUILD_EXTENSION_MODULE=1 PYO3_CONFIG_FILE=$(find "$CARGO_TARGET_DIR/maturin" -name 'pyo3-config-*-abi3.txt' -print -quit) \
  cargo clippy --quiet --locked --manifest-path python/Cargo.toml -- -D warnings
pip install --quiet --disable-pip-version-check --force-reinstall --no-deps target/python/dist/*.whl

# From elsewhere, so that what is tested is what is installed.
cd python/tests
python -m pytest --quiet -p no:cacheprovider .
python -m mypy --strict --cache-dir "$CARGO_TARGET_DIR/python/mypy" --package wanderwort
python -m mypy --strict --cache-dir "$CARGO_TARGET_DIR/python/mypy" typed.py
python -m mypy.stubtest wanderwort._wanderwort
