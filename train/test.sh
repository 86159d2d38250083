#!/usr/bin/env bash
# Tests of the training pipeline, and the whole chain on a small sample: ./build.sh test training
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

# A Python of our own with the pinned packages; made anew when the pins change.
stamp=.venv/wanderwort-train.pins
if ! cmp -s pyproject.toml "$stamp"; then
  echo "  installing PyTorch and the other packages of train/pyproject.toml (some minutes, once)"
  python3 -c 'import sys, venv; sys.exit(sys.version_info < (3, 11))' || {
    echo "train/test.sh: Python 3.11 or newer with venv is needed: 'apt-get install python3 python3-venv'" >&2
    exit 1
  }
  [ -x .venv/bin/python ] || python3 -m venv .venv
  .venv/bin/pip install --quiet --disable-pip-version-check --editable '.[test]'
  cp pyproject.toml "$stamp"
fi

# The engine that must agree with what PyTorch computes.
if [ -z "${WANDERWORT:-}" ]; then
  # As the engine's own tests build it.
  (cd .. && cargo test --quiet --no-run --test native)
  export WANDERWORT="$PWD/../target/debug/wanderwort"
fi

exec .venv/bin/python -m pytest -q tests "$@"
