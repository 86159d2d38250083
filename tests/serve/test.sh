#!/usr/bin/env bash
# The server with clients that others have written: ./build.sh test serve
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

# A Python of our own with the pinned clients; made anew when the pins change.
environment=target/clients
if ! cmp -s tests/serve/requirements.txt "$environment/requirements.txt"; then
  echo "  installing the clients of tests/serve/requirements.txt"
  python3 -c 'import ensurepip, venv' || {
    echo "tests/serve/test.sh: Python 3 with venv is needed: 'apt-get install python3 python3-venv'" >&2
    exit 1
  }
  [ -x "$environment/bin/python" ] || python3 -m venv "$environment"
  "$environment/bin/pip" install --quiet --disable-pip-version-check --requirement tests/serve/requirements.txt
  cp tests/serve/requirements.txt "$environment/requirements.txt"
fi

exec "$environment/bin/python" tests/serve/clients.py "${WANDERWORT:-target/debug/wanderwort}"
