#!/usr/bin/env bash
# The single entry point for building, running and testing this project. `./build.sh help` lists the commands.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

# Build tools that no package manager offers in the version we need.
TOOLS="$PWD/target/tools"
export PATH="$TOOLS/bin:$PATH"
# A missing rustup toolchain is to be looked for below, not fetched by accident.
export RUSTUP_AUTO_INSTALL=0

usage() {
  cat <<'USAGE'
Usage: ./build.sh COMMAND

  run [--port N] [--host NAME]   build what is missing and serve the translator page on this machine
  test [STEP…]                   every check there is, or only the steps named (./build.sh steps lists them)
  bench                          micro-benchmarks, then words per second natively and in the browsers
  native                         the command line: target/release/wanderwort
  wasm [MODULE…]                 the WebAssembly modules, or only those named: www/pkg
  site                           the page with its models and API pages as a folder for any static host: dist/site
  extension                      the browser extension, packed for Chrome and Firefox: dist
  package                        the npm package of the library: dist
  python                         the Python package, as wheel and source archive: dist
  steps                          the steps of `test`
  help                           this text

Whatever is missing is installed where that needs no question (npm packages, Rust tools, as root Debian packages);
otherwise the command that installs it is printed.
USAGE
}

say() { printf '  %s\n' "$*"; }
fail() {
  printf 'build.sh: %s\n' "$*" >&2
  exit 1
}
have() { command -v "$1" >/dev/null 2>&1; }

# Runs a command whose output matters only if it fails.
quietly() {
  local log
  log=$(mktemp)
  if "$@" >"$log" 2>&1 </dev/null; then
    rm -f "$log"
  else
    local status=$?
    cat "$log" >&2
    rm -f "$log"
    return "$status"
  fi
}

# --- What the machine must have -------------------------------------------------------------------------------

# Installs Debian packages if this user may do so; false otherwise.
install_packages() {
  have apt-get || return 1
  local root=()
  if [ "$(id -u)" != 0 ]; then
    have sudo && sudo -n true 2>/dev/null || return 1
    root=(sudo -n)
  fi
  say "installing Debian packages: $*"
  # An old index names old versions; if a new one cannot be fetched, the old one must do.
  "${root[@]}" apt-get update >/dev/null 2>&1 </dev/null || true
  quietly "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@"
}

# rustup's own installer asks nothing with -y, but downloads a program and runs it: that is for the reader to decide.
INSTALL_RUST="curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh -s -- -y && . \"\$HOME/.cargo/env\""
# A version manager brings any release to any user; Debian's own may be older than what is needed.
INSTALL_NODE="curl -fsSL https://raw.githubusercontent.com/nvm-sh/nvm/v0.40.3/install.sh | bash && . \"\$HOME/.nvm/nvm.sh\" && nvm install 22"

need_cargo() {
  local wanted release
  wanted=$(sed -n 's/^rust-version = "1\.\([0-9]*\).*/\1/p' Cargo.toml)
  have cargo || fail "Rust is missing; this installs it:
    $INSTALL_RUST"
  release=$(cargo --version 2>/dev/null | sed -n 's/^cargo 1\.\([0-9]*\).*/\1/p')
  [ "${release:-0}" -ge "$wanted" ] || fail "Rust 1.$wanted or newer is needed; this is $(cargo --version 2>&1). This brings it:
    $(have rustup && printf 'rustup update stable && rustup default stable' || printf '%s' "$INSTALL_RUST")"
}

need_node() {
  if ! have node || ! have npm; then
    install_packages nodejs npm || fail "Node.js 20 or newer with npm is missing; this installs it:
    $INSTALL_NODE"
  fi
  [ "$(node -p 'process.versions.node.split(".")[0]')" -ge 20 ] ||
    fail "Node.js 20 or newer is needed; this is $(node --version). This brings one:
    $INSTALL_NODE"
}

need_npm_packages() {
  need_node
  if [ ! node_modules/.package-lock.json -nt package-lock.json ]; then
    say "installing npm packages"
    quietly npm ci
    touch node_modules/.package-lock.json
  fi
}

# puppeteer sets a window's size in Firefox with a command that versions 140 and older do not know; 153 is the oldest tried.
OLDEST_FIREFOX=153

recent_firefox() {
  local release
  release=$(firefox-esr --version 2>/dev/null | sed -n 's/^Mozilla Firefox \([0-9]*\).*/\1/p')
  [ "${release:-0}" -ge "$OLDEST_FIREFOX" ]
}

need_browsers() {
  local missing=()
  have chromium || missing+=(chromium)
  recent_firefox || missing+=(firefox-esr)
  [ ${#missing[@]} = 0 ] || { install_packages "${missing[@]}" && recent_firefox; } ||
    fail "the browser tests need Chromium and Firefox $OLDEST_FIREFOX or newer; this installs them:
    sudo apt-get update && sudo apt-get install ${missing[*]}"
}

need_epubcheck() {
  { have epubcheck && have java; } || install_packages epubcheck default-jre-headless ||
    fail "the check of books needs EPUBCheck; this installs it:
    sudo apt-get install epubcheck default-jre-headless"
}

need_java() {
  have java || install_packages default-jre-headless || fail "Spark needs Java 17 or newer; this installs it:
    sudo apt-get install default-jre-headless"
}

# The wasm-bindgen program must have exactly the library's version.
need_wasm_bindgen() {
  need_cargo
  local version
  version=$(sed -n '/^name = "wasm-bindgen"$/{n;s/version = "\(.*\)"/\1/p;}' Cargo.lock)
  [ "$(wasm-bindgen --version 2>/dev/null)" = "wasm-bindgen $version" ] && return
  say "installing wasm-bindgen-cli $version (some minutes, once)"
  # The published lock file may name versions that its registry does not have (yet); the newest matching ones will do too.
  # It runs for seconds: optimizing it more would cost more than it gains.
  local install=(env CARGO_PROFILE_RELEASE_OPT_LEVEL=1 CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16
    cargo install wasm-bindgen-cli --version "$version" --root "$TOOLS" --bin wasm-bindgen)
  quietly "${install[@]}" --locked 2>/dev/null || quietly "${install[@]}"
}

# Whether a compiler can build the standard library: recent enough, and its own sources beside it.
builds_std() {
  local wanted release root
  wanted=$(sed -n 's/^rust-version = "1\.\([0-9]*\).*/\1/p' Cargo.toml)
  release=$("$@" --version 2>/dev/null | sed -n 's/^rustc 1\.\([0-9]*\).*/\1/p')
  root=$("$@" --print sysroot 2>/dev/null)
  [ -n "$release" ] && [ "$release" -ge "$wanted" ] && [ -f "$root/lib/rustlib/src/rust/library/std/Cargo.toml" ]
}

# Sets WASM_CARGO, the cargo that builds the standard library too, and WASM_LINKER, extra flags for its linker.
# Threads need a standard library with atomics, which nobody ships; hence -Z build-std. RUSTC_BOOTSTRAP allows that
# flag on a stable compiler, which comes first: what a nightly warns of, or breaks, changes overnight.
find_wasm_toolchain() {
  WASM_LINKER=""
  if have rustc && have cargo && [ "$(command -v rustc)" != /usr/bin/rustc ] && builds_std rustc; then
    WASM_CARGO=(env RUSTC_BOOTSTRAP=1 cargo)
  elif have rustup && builds_std rustup run nightly rustc; then
    WASM_CARGO=(rustup run nightly cargo)
  elif [ -x /usr/bin/cargo ] && [ -x /usr/bin/wasm-ld ] && builds_std /usr/bin/rustc; then
    WASM_CARGO=(env RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1 /usr/bin/cargo)
    WASM_LINKER="-Z unstable-options -C linker=wasm-ld -C linker-flavor=wasm-lld"
  else
    return 1
  fi
}

need_wasm_toolchain() {
  find_wasm_toolchain && return
  if have rustup; then
    say "installing the sources of Rust's standard library"
    timeout 600 rustup component add rust-src >/dev/null 2>&1 </dev/null || true
    find_wasm_toolchain && return
    say "rustup could not; trying Debian's compiler"
  fi
  install_packages rustc-web cargo-web rust-web-src lld || true
  find_wasm_toolchain && return
  fail "no compiler that can build WebAssembly with threads. Either of these brings one:
    rustup component add rust-src
    sudo apt-get install rustc-web cargo-web rust-web-src lld"
}

# --- Building -------------------------------------------------------------------------------------------------

build_native() {
  need_cargo
  say "building target/release/wanderwort"
  cargo build --release --quiet --bin wanderwort
}

# The program as the Rust tests build it: built in a fraction of the time, and nearly as fast. With the same command, since a mere
# `cargo build` would recompile all crates that the tests use with more features.
build_tested_program() {
  need_cargo
  say "building target/debug/wanderwort"
  cargo test --quiet --no-run --test native
}

# What a WebAssembly module depends on, as one number.
wasm_fingerprint() {
  {
    cat Cargo.toml Cargo.lock package-lock.json
    declare -f cargo_wasm build_wasm_module
    find src \( -name '*.rs' -o -name '*.json' -o -name '*.wanderwort' \) -not -path 'src/bin/*' -print0 | sort -z | xargs -0 cat
  } | sha256sum | cut -d' ' -f1
}

# Runs a cargo COMMAND with its options, for modules with or without THREADS. All modules of one kind share a folder with the
# standard library and all other crates, which are compiled once for each kind; only the last crate is compiled anew for relaxed SIMD,
# whose instructions only the kernels use.
cargo_wasm() {
  local threads=$1 command=$2 target_features link=""
  shift 2
  target_features="+simd128,+bulk-memory,+nontrapping-fptoint,+sign-ext,+mutable-globals"
  if [ "$threads" = threads ]; then
    target_features+=",+atomics"
    # Shared memory needs its maximum at compile time, and browsers set that much address space aside; an engine with
    # its model takes well under a tenth of it.
    link="-C link-arg=--shared-memory -C link-arg=--import-memory -C link-arg=--max-memory=1073741824"
    link+=" -C link-arg=--export=__wasm_init_tls -C link-arg=--export=__tls_size"
    link+=" -C link-arg=--export=__tls_align -C link-arg=--export=__tls_base"
  fi
  # Optimizing all crates as one makes modules larger, and slower to compile here and in the page, but no faster. The standard library's
  # `optimize_for_size` makes sorts small, of which there are many kinds: a twentieth of the download (benches/sizes.mjs), at the same speed
  # (benches/browser.mjs). An `opt-level` of 2 takes off as much again, but translates 6 % fewer words a second, "s" a sixth of them; a lower
  # inlining threshold has threads spin for ever in V8 11, which is in Node 20.
  CARGO_PROFILE_RELEASE_LTO=off RUSTFLAGS="-C target-feature=$target_features $link $WASM_LINKER" \
    "${WASM_CARGO[@]}" "$command" --quiet --release --target wasm32-unknown-unknown -Z build-std=std,panic_abort \
    -Z build-std-features=optimize_for_size --target-dir "target/wasm/$threads" "$@"
}

# One module: its NAME, which says what the processor must have, and its cargo features.
build_wasm_module() {
  local name=$1 cargo_features=$2 threads=single
  local packed="target/wasm/pkg/$name" started=$SECONDS
  local last=()
  [[ "$name" != *-threads ]] || threads=threads
  [[ "$name" != relaxed-simd* ]] || last+=(-C target-feature=+relaxed-simd)
  # One warning is one too many in what we ship; a newer compiler's new warning in a reader's clone is not.
  [ -z "${CI:-}" ] || last+=(-D warnings)
  say "building www/pkg/$name"
  cargo_wasm "$threads" rustc --lib --crate-type cdylib --no-default-features --features "$cargo_features" -- "${last[@]}"
  rm -rf "$packed"
  wasm-bindgen --target web --out-name wanderwort --out-dir "$packed" \
    "target/wasm/$threads/wasm32-unknown-unknown/release/wanderwort.wasm"
  # The thread helper imports a folder, which only bundlers understand; a browser wants the file. What fails in its promises, such as a
  # trap, the page would not hear of.
  local helper thread_begins=".then(async ({ init, receiver }) => {"
  for helper in "$packed"/snippets/wasm-bindgen-rayon-*/src/workerHelpers.js; do
    [ -e "$helper" ] || continue
    grep -q "import('../../..')" "$helper" || fail "$helper has changed: adapt build.sh to its import of the module"
    grep -qF "$thread_begins" "$helper" || fail "$helper has changed: adapt build.sh to how its thread begins"
    sed -i -e "s|import('../../..')|import('../../../wanderwort.js')|" \
      -e "s|$thread_begins|&\n  addEventListener('unhandledrejection', ({ reason }) => reportError(reason));|" "$helper"
  done
  # LLVM has optimized already: even -O1 takes three times as long for the same size.
  node_modules/.bin/wasm-opt --dce --vacuum --remove-unused-brs --coalesce-locals --reorder-locals \
    --enable-simd --enable-relaxed-simd --enable-threads --enable-bulk-memory --enable-bulk-memory-opt \
    --enable-nontrapping-float-to-int --enable-sign-ext --enable-mutable-globals --enable-reference-types \
    --enable-multivalue --enable-extended-const "$packed/wanderwort_bg.wasm" -o "$packed/optimized.wasm"
  mv "$packed/optimized.wasm" "$packed/wanderwort_bg.wasm"
  rm -rf "www/pkg/$name"
  mkdir -p www/pkg
  mv "$packed" "www/pkg/$name"
  say "www/pkg/$name: $(($(stat -c %s "www/pkg/$name/wanderwort_bg.wasm") / 1024)) KiB, $((SECONDS - started)) s"
}

# The library that detects languages, as one file with its licence.
build_language_detector() {
  local built=www/pkg/language-detector/eld.js
  [ ! "$built" -nt package-lock.json ] || [ ! "$built" -nt www/tools/language-detector.mjs ] || return 0
  need_npm_packages
  say "building www/pkg/language-detector"
  node www/tools/language-detector.mjs
}

# Four engines, and the reader and writer of files, which is fetched when the first file comes.
WASM_MODULES=(simd128 relaxed-simd simd128-threads relaxed-simd-threads documents)

# Builds the named modules, which are missing or out of date and share a folder, one after the other.
build_wasm_modules() {
  local fingerprint=$1 name cargo_features
  shift
  for name in "$@"; do
    cargo_features=""
    case "$name" in
    *-threads) cargo_features=threads ;;
    documents) cargo_features=documents ;;
    esac
    build_wasm_module "$name" "$cargo_features"
    printf '%s\n' "$fingerprint" >"www/pkg/$name/fingerprint"
  done
}

# Builds all modules, or those named, unless they are there already.
build_wasm() {
  local modules=("$@") name fingerprint single=() threaded=()
  [ ${#modules[@]} -gt 0 ] || modules=("${WASM_MODULES[@]}")
  build_language_detector
  fingerprint=$(wasm_fingerprint)
  for name in "${modules[@]}"; do
    [[ " ${WASM_MODULES[*]} " = *" $name "* ]] || fail "no module '$name'; there are: ${WASM_MODULES[*]}"
    [ "$(cat "www/pkg/$name/fingerprint" 2>/dev/null)" != "$fingerprint" ] || continue
    case "$name" in
    *-threads) threaded+=("$name") ;;
    *) single+=("$name") ;;
    esac
  done
  [ ${#single[@]} -gt 0 ] || [ ${#threaded[@]} -gt 0 ] || return 0
  need_npm_packages
  need_wasm_bindgen
  need_wasm_toolchain
  # Two at a time: the longest part of each, linking, keeps one core busy.
  local building=()
  build_wasm_modules "$fingerprint" "${single[@]}" &
  building+=($!)
  build_wasm_modules "$fingerprint" "${threaded[@]}" &
  building+=($!)
  wait "${building[0]}"
  wait "${building[1]}"
}

# The pages that tell developers what the library offers, generated from its own comments: dist/api.
build_api_pages() {
  need_node
  if [ ! www/tools/api/node_modules/.package-lock.json -nt www/tools/api/package-lock.json ]; then
    say "installing what makes the API pages"
    quietly npm ci --prefix www/tools/api
    touch www/tools/api/node_modules/.package-lock.json
  fi
  www/tools/api/node_modules/.bin/typedoc --options www/tools/api/typedoc.json --logLevel Warn
}

build_site() {
  need_npm_packages
  build_wasm
  build_api_pages
  node www/tools/site.mjs dist/site dist/api
}

build_extension() {
  need_npm_packages
  build_wasm
  have python3 || fail "Python 3 is missing; this installs it:
    sudo apt-get install python3"
  mkdir -p dist
  node www/tools/extension.mjs
}

build_package() {
  need_npm_packages
  build_wasm
  mkdir -p dist
  node www/tools/package.mjs
}

# The Python package for this machine's kind of processor, and its sources.
build_python() {
  need_cargo
  say "building the Python package"
  python/build.sh release dist
}

# The kernels alone, with their own comparisons, per instruction set.
build_kernel_checks() {
  need_wasm_toolchain
  local name last
  for name in simd128 relaxed-simd; do
    last=()
    [ "$name" != relaxed-simd ] || last=(-C target-feature=+relaxed-simd)
    cargo_wasm single rustc --lib --manifest-path tests/kernels/Cargo.toml -- "${last[@]}"
    cp target/wasm/single/wasm32-unknown-unknown/release/kernels_check.wasm "target/wasm/kernels-$name.wasm"
  done
}

# The kernels of 64-bit Arm processors, under emulation; on such a processor the engine's own tests run them. The C library comes with
# the compiler, and so does the linker.
check_arm_kernels() {
  case "$(uname -sm)" in Linux\ aarch64 | Darwin*) return ;; esac
  need_cargo
  local target=aarch64-unknown-linux-musl
  rustup target list --installed 2>/dev/null | grep -qx "$target" || rustup target add "$target" >/dev/null 2>&1 </dev/null ||
    fail "Rust's library for 64-bit Arm is missing; this installs it: rustup target add $target"
  have qemu-aarch64 || install_packages qemu-user ||
    fail "an emulator of 64-bit Arm processors is missing; this installs it: sudo apt-get install qemu-user"
  CARGO_TARGET_AARCH64_UNKNOWN_LINUX_MUSL_LINKER=rust-lld cargo build --quiet --release \
    --manifest-path tests/kernels/Cargo.toml --bin kernels-check-native --target "$target" --target-dir target/arm
  qemu-aarch64 -cpu max "target/arm/$target/release/kernels-check-native" | tee /dev/stderr | grep -q "^dotprod: "
}

# --- Checks ---------------------------------------------------------------------------------------------------

STEPS=(format lint rust types wasm node browsers books training serve python image fuzz)

step_format() {
  need_cargo
  cargo fmt --check
  need_npm_packages
  node_modules/.bin/prettier --check --log-level warn .
}

step_lint() {
  need_cargo
  cargo clippy --quiet --all-targets -- -D warnings
}

step_rust() {
  need_cargo
  # The same random cases each time, so that a change is judged by what it changed; another seed looks further.
  PROPTEST_RNG_SEED=${PROPTEST_RNG_SEED:-1} cargo test --quiet
  RUSTDOCFLAGS="-D warnings" cargo doc --quiet --no-deps
  check_arm_kernels
}

step_wasm() { build_wasm; }

# The bindings' types come out of the WebAssembly build.
step_types() {
  build_wasm
  need_npm_packages
  local project
  for project in www www/tsconfig.node.json www/worker tests/browser; do
    node_modules/.bin/tsc --project "$project"
  done
}

step_node() {
  need_npm_packages
  build_wasm
  build_kernel_checks
  build_api_pages
  node --test tests/node/*.test.mjs
}

# Tests that promise something about time. Two cores cannot run two browsers and keep that promise, so these run one at a time.
TIMED=(live loading reading situations standard)

step_browsers() {
  need_npm_packages
  need_browsers
  build_tested_program
  build_wasm
  local file name timed=() others=() status=0
  for file in tests/browser/*.test.mjs; do
    name=$(basename "$file" .test.mjs)
    if [[ " ${TIMED[*]} " = *" $name "* ]]; then timed+=("$file"); else others+=("$file"); fi
  done
  node --test --test-concurrency=2 "${others[@]}" || status=$?
  node --test --test-concurrency=1 "${timed[@]}" || status=$?
  return "$status"
}

# What the conformance checker for books says about them, before and after translation.
step_books() {
  need_node
  need_epubcheck
  build_tested_program
  node --test tests/books/*.test.mjs
}

# The server with clients that others have written.
step_serve() {
  build_tested_program
  tests/serve/test.sh
}

# The Python package, built and used.
step_python() {
  need_java
  build_tested_program
  python/test.sh
}

# The image, if a container engine is available.
step_image() { packaging/container.sh; }

step_fuzz() { tests/fuzz/smoke.sh; }

step_training() { train/test.sh; }

# One step, as a process of its own, so that one failure neither hides nor spoils the others.
run_step() {
  local started=$SECONDS status=0
  printf '\n== %s\n' "$1"
  "${BASH_SOURCE[0]}" step "$1" </dev/null || status=$?
  if [ "$status" = 0 ]; then
    printf -- '-- %s passed in %s s\n' "$1" $((SECONDS - started))
  else
    printf -- '-- %s FAILED (exit %s) after %s s\n' "$1" "$status" $((SECONDS - started))
  fi
  return "$status"
}

# Steps that promise nothing about time run beside the one before them and all that follow.
BESIDE=(training)

run_tests() {
  local steps=("$@") step i passed=0 failed=() total=$SECONDS
  local beside=() processes=() logs=()
  [ ${#steps[@]} -gt 0 ] || steps=("${STEPS[@]}")
  for step in "${steps[@]}"; do
    declare -F "step_$step" >/dev/null || fail "no step '$step'; there are: ${STEPS[*]}"
  done
  for i in "${!steps[@]}"; do
    step=${steps[i]}
    # Already begun, beside the one before.
    [[ $i = 0 || " ${BESIDE[*]} " != *" $step "* ]] || continue
    step=${steps[i + 1]:-}
    if [ -n "$step" ] && [[ " ${BESIDE[*]} " = *" $step "* ]]; then
      beside+=("$step")
      logs+=("$(mktemp)")
      run_step "$step" >"${logs[-1]}" 2>&1 &
      processes+=($!)
    fi
    if run_step "${steps[i]}"; then passed=$((passed + 1)); else failed+=("${steps[i]}"); fi
  done
  for i in "${!beside[@]}"; do
    if wait "${processes[i]}"; then passed=$((passed + 1)); else failed+=("${beside[i]}"); fi
    cat "${logs[i]}"
    rm -f "${logs[i]}"
  done
  printf '\n'
  [ ${#failed[@]} = 0 ] || printf 'Failed: %s\n' "${failed[*]}"
  printf 'All steps took %s s.\n' $((SECONDS - total))
  printf '%s passed, %s failed\n' "$passed" "${#failed[@]}"
  [ ${#failed[@]} = 0 ]
}

# --- Commands -------------------------------------------------------------------------------------------------

command=${1:-help}
[ $# = 0 ] || shift
case "$command" in
run)
  need_node
  build_wasm
  exec node www/tools/serve.mjs "$@"
  ;;
test) run_tests "$@" ;;
bench)
  need_cargo
  cargo bench
  build_native
  build_wasm
  need_npm_packages
  need_browsers
  node benches/browser.mjs "$@"
  ;;
native) build_native ;;
wasm) build_wasm "$@" ;;
site) build_site ;;
extension) build_extension ;;
package) build_package ;;
python) build_python ;;
steps) printf '%s\n' "${STEPS[@]}" ;;
step) "step_$1" ;;
help | --help | -h) usage ;;
*)
  usage >&2
  fail "no command '$command'"
  ;;
esac
