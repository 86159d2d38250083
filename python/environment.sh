# Sourced: a Python of our own with the pinned tools, made anew when the pins change, and what cargo goes by.
environment=$PWD/target/python/environment
need_tools() {
  local pins=python/tests/$1
  if ! cmp -s "$pins" "$environment/$1"; then
    echo "  installing the tools of $pins"
    python3 -c 'import ensurepip, venv' || {
      echo "python/environment.sh: Python 3 with venv is needed: 'apt-get install python3 python3-venv'" >&2
      exit 1
    }
    [ -x "$environment/bin/python" ] || python3 -m venv "$environment"
    # What is imported is compiled then; most of it never is.
    "$environment/bin/pip" install --quiet --disable-pip-version-check --no-compile --requirement "$pins"
    cp "$pins" "$environment/$1"
  fi
}
need_tools requirements.txt
export PATH="$environment/bin:$PATH" VIRTUAL_ENV=$environment
# What the engine depends on is there already, compiled for its own tests.
export CARGO_TARGET_DIR=$PWD/target

# The engine's versions are those that it is tested with; cargo adds what only the bindings need.
if [ -n "$(find Cargo.lock Cargo.toml python/Cargo.toml -newer python/Cargo.lock 2>/dev/null)" ] || [ ! -e python/Cargo.lock ]; then
  cp Cargo.lock python/Cargo.lock
  cargo metadata --quiet --format-version 1 --manifest-path python/Cargo.toml >/dev/null
fi
