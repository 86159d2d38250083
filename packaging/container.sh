#!/usr/bin/env bash
# Builds the image, translates a line with it in each of its ways, and prints its size: compressed, as registries keep and send it, it must
# stay under 12 MB.
# Without a container engine it says so and does nothing; with --static it builds and tests the static program that the image holds.
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

if [ "${1:-}" = --static ]; then
  target=$(uname -m)-unknown-linux-musl
  rustup target list --installed 2>/dev/null | grep -qx "$target" ||
    fail "Rust's library for $target is missing; this installs it: rustup target add $target"
  # What needs a C compiler needs no C library, so that of this system does.
  variable=CC_${target//-/_}
  export "$variable=${!variable:-cc}"
  CARGO_PROFILE_RELEASE_STRIP=symbols cargo build --quiet --release --locked --no-default-features --features cli --bin wanderwort \
    --target "$target"
  program=${CARGO_TARGET_DIR:-target}/$target/release/wanderwort
  for task in cpu-single cpu-multi latency; do
    check_answer "$task" "$(echo "The house is big." | WANDERWORT=$program MODEL=models/en-de.tiny.wanderwort packaging/run.sh "$task")"
  done
  files=("$program" models/en-de.tiny.wanderwort packaging/run.sh)
  check_size "program" "$(stat -c %s "$program")" "$(gzip -9 <"$program" | wc -c)"
  check_size "program, model and run.sh" "$(cat "${files[@]}" | wc -c)" "$(tar -cf - "${files[@]}" 2>/dev/null | gzip -9 | wc -c)"
  exit
fi

for engine in podman docker ""; do
  [ -z "$engine" ] || ! "$engine" info >/dev/null 2>&1 || break
done
if [ -z "$engine" ]; then
  [ -z "${NEED_CONTAINER:-}" ] || fail "NEED_CONTAINER is set, and neither podman nor docker answers"
  echo "container.sh: neither podman nor docker answers; the image is not built" >&2
  exit
fi
image=wanderwort-test
"$engine" build --quiet --file packaging/Containerfile --tag "$image" . >/dev/null
for task in cpu-single cpu-multi latency; do
  check_answer "$task" "$(echo "The house is big." | "$engine" run --rm --interactive --network none "$image" /run.sh "$task")"
done
check_size image "$("$engine" image inspect --format '{{.Size}}' "$image")" "$("$engine" image save "$image" | gzip -9 | wc -c)"
