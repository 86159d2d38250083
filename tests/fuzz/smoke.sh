#!/usr/bin/env bash
# Runs every fuzz target for some seconds, on a stable or a nightly compiler. SECONDS_EACH=600 tests/fuzz/smoke.sh
# searches longer; `cargo fuzz run TARGET` works too where cargo-fuzz and a nightly are installed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

if ! command -v c++ >/dev/null; then
  echo "  no C++ compiler for LLVM's fuzzing engine (Debian: apt-get install g++): only tests/native/malformed_files.rs ran"
  exit 0
fi

# What cargo-fuzz would ask of the compiler, without the address sanitizer, which needs a nightly: the code under
# test is safe Rust, whose bounds are checked anyway.
export RUSTFLAGS="--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
-Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
-Cllvm-args=-sanitizer-coverage-trace-compares"
export CARGO_TARGET_DIR="$PWD/target"
# With a target, build scripts and procedural macros are built without the flags.
host=$(rustc -vV | sed -n 's/^host: //p')
cargo build --quiet --release --target "$host"

targets=(bin npz config catalogue shortlist vocabulary word_list structure package html epub document)
for target in "${targets[@]}"; do
  # Findings stay; what was only found to be new coverage goes.
  corpus=$(mktemp -d)
  trap 'rm -rf "$corpus"' EXIT
  seeds=()
  [ "$target" != package ] || seeds=(../data/packages)
  [ "$target" != catalogue ] || seeds=(../data/registry)
  if [ "$target" = word_list ]; then
    cp ../data/shapes/opus.vocab.yml "$corpus"
  fi
  printf '  fuzzing %s\n' "$target"
  "target/$host/release/$target" -max_total_time="${SECONDS_EACH:-5}" -timeout=20 -rss_limit_mb=2048 -max_len=65536 \
    -artifact_prefix="artifacts-$target-" -verbosity=0 -print_final_stats=0 "$corpus" "${seeds[@]}"
  rm -rf "$corpus"
done
