#!/usr/bin/env bash
# Fetches the peers from their registries and runs them and Wanderwort in turns on the same model and text.
# `benches/peers/run.sh --help` lists the options. Needs Python 3 with venv, cargo with a C++ compiler, Node.js, Chromium.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

fetched=.fetched
model=../../models/en-de.prototype
say() { printf '  %s\n' "$*" >&2; }

case " $* " in *" --help "* | *" -h "*) exec python3 measure.py "$@" ;; esac

# Marian. Its fastest int8 path has weights packed for AVX-512 ahead of time; that packing starts from floats.
if [ ! -x "$fetched/venv/bin/pymarian" ]; then
  say "fetching pymarian from PyPI"
  python3 -m venv "$fetched/venv"
  "$fetched/venv/bin/pip" install --quiet --disable-pip-version-check pymarian==1.12.42 numpy
fi
if [ "$fetched/packed8avx512.bin" -ot "$model/model.ende.intgemm.alphas.bin" ]; then
  say "packing the model for Marian"
  "$fetched/venv/bin/python" marian_float.py "$model/model.ende.intgemm.alphas.bin" "$fetched/model.npz"
  "$fetched/venv/bin/pymarian" convert --from "$fetched/model.npz" --to "$fetched/packed8avx512.bin" \
    --gemm-type packed8avx512 >/dev/null 2>&1
fi

# The crate fxtranslate; it must not fall back to its scalar kernel.
say "building fxtranslate from crates.io"
FXTRANSLATE_REQUIRE_SIMD=1 CARGO_TARGET_DIR=$fetched/target \
  cargo build --quiet --release --locked --manifest-path fxtranslate/Cargo.toml

# Bergamot's engine for the browser, and what drives the browser.
if [ ! -d "$fetched/node_modules/@browsermt/bergamot-translator" ]; then
  say "fetching @browsermt/bergamot-translator from npm"
  npm install --silent --no-save --prefix "$fetched" @browsermt/bergamot-translator@0.4.9
fi

say "building Wanderwort"
../../build.sh native >&2
../../build.sh wasm >&2

exec python3 measure.py "$@"
