#!/usr/bin/env bash
# Runs peers and Wanderwort in turns on the same model and text, fetching from their registries what is not there yet.
# `benches/peers/run.sh --help` lists systems and options; `benches/peers/run.sh visit` times first visits of a page over a
# slow connection instead (visit.mjs says more). Needs Python 3 with venv; cargo with a C++ compiler for fxtranslate;
# Node.js and Chromium for the browser.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

fetched=.fetched
packed=../../tests/data/en-de.prototype
model=$fetched/en-de.prototype

# The repository has its largest files compressed.
unpack_model() {
  [ "$model/README.md" -nt "$packed/README.md" ] && return
  mkdir -p "$model"
  cp "$packed"/* "$model"
  gunzip --force "$model"/*.gz
}

# Marian's fastest int8 path has weights packed for AVX-512 ahead of time; that packing starts from floats.
fetch_marian() {
  if [ ! -x "$fetched/venv/bin/pymarian" ]; then
    python3 -m venv "$fetched/venv"
    "$fetched/venv/bin/pip" install --quiet --disable-pip-version-check pymarian==1.12.42 numpy
  fi
  if [ "$fetched/packed8avx512.bin" -ot "$model/model.ende.intgemm.alphas.bin" ]; then
    "$fetched/venv/bin/python" marian_float.py "$model/model.ende.intgemm.alphas.bin" "$fetched/model.npz"
    "$fetched/venv/bin/pymarian" convert --from "$fetched/model.npz" --to "$fetched/packed8avx512.bin" \
      --gemm-type packed8avx512 >/dev/null 2>&1
  fi
}

# It must not fall back to its scalar kernel.
fetch_fxtranslate() {
  FXTRANSLATE_REQUIRE_SIMD=1 CARGO_TARGET_DIR=$fetched/target \
    cargo build --quiet --release --locked --manifest-path fxtranslate/Cargo.toml
}

fetch_bergamot() {
  [ -d ../../node_modules/puppeteer-core ] || npm ci --silent --prefix ../..
  [ -d "$fetched/node_modules/@browsermt/bergamot-translator" ] ||
    npm install --silent --no-save --prefix "$fetched" @browsermt/bergamot-translator@0.4.9
}

fetch_native() { ../../build.sh native; }

fetch_page() { ../../build.sh wasm; }

mkdir -p "$fetched"
unpack_model
if [ "${1:-}" = fetch ]; then
  "fetch_$2" >&2
elif [ "${1:-}" = visit ]; then
  for part in bergamot native page; do "fetch_$part" >&2; done
  exec node visit.mjs "${@:2}"
else
  exec python3 measure.py "$@"
fi
