#!/usr/bin/env bash
# Builds the image, translates a line with it in each of its ways, and prints its size: compressed, as registries keep and send it, it must
# stay under 12 MB. Without a container engine, or an image of Rust for it, it says so and does nothing, unless NEED_CONTAINER is set.
#
#   container.sh --static   builds and tests the static program that the image holds, and needs no engine
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
LIMIT=12000000

fail() {
  echo "container.sh: $*" >&2
  exit 1
}

megabytes() { awk -v bytes="$1" 'BEGIN { printf "%.2f MB", bytes / 1e6 }'; }

# What it is, its bytes, and compressed.
check_size() {
  echo "$1: $(megabytes "$3") compressed, $(megabytes "$2") unpacked"
  [ "$3" -lt "$LIMIT" ] || fail "$1 is not under $(megabytes "$LIMIT") compressed"
}

check_answer() {
  [[ "$2" = *Haus* ]] || fail "$1: expected a translation of 'The house is big.', found '$2'"
}

# run.sh in each of its ways: what runs it is given, and stands before the way's name.
check_ways() {
  local task
  for task in cpu-single cpu-multi latency; do
    check_answer "$task" "$(echo "The house is big." | "$@" "$task")"
  done
}

model=models/en-de.tiny.wanderwort
if [ "${1:-}" = --static ]; then
  target=$(rustc --print host-tuple)
  RUSTFLAGS="-C target-feature=+crt-static" CARGO_PROFILE_RELEASE_STRIP=symbols CARGO_PROFILE_RELEASE_PANIC=abort \
    cargo build --quiet --release --locked --no-default-features --features cli --bin wanderwort --target "$target"
  program=${CARGO_TARGET_DIR:-target}/$target/release/wanderwort
  WANDERWORT=$program MODEL=$model check_ways packaging/run.sh
  files=("$program" "$model" packaging/run.sh)
  check_size "program" "$(stat -c %s "$program")" "$(gzip -9 <"$program" | wc -c)"
  check_size "program, model and run.sh" "$(cat "${files[@]}" | wc -c)" "$(tar -cf - "${files[@]}" 2>/dev/null | gzip -9 | wc -c)"
  exit
fi

# What is missing, unless it must be there.
do_without() {
  [ -z "${NEED_CONTAINER:-}" ] || fail "NEED_CONTAINER is set, and $*"
  echo "container.sh: $*; the image is not built" >&2
  exit
}

for engine in podman docker ""; do
  [ -z "$engine" ] || ! "$engine" info >/dev/null 2>&1 || break
done
[ -n "$engine" ] || do_without "neither podman nor docker answers"
base=$(sed -n 's/^FROM \(.*\) AS build$/\1/p' packaging/Containerfile)
"$engine" image inspect "$base" >/dev/null 2>&1 || timeout 600 "$engine" pull --quiet "$base" >/dev/null 2>&1 ||
  do_without "$engine has no $base, and cannot fetch it"
image=wanderwort-test
"$engine" build --quiet --file packaging/Containerfile --tag "$image" . >/dev/null
check_ways "$engine" run --rm --interactive --network none "$image" /run.sh
check_size image "$("$engine" image inspect --format '{{.Size}}' "$image")" "$("$engine" image save "$image" | gzip -9 | wc -c)"
