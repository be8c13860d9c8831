#!/usr/bin/env bash
# Creates the virtual environment $1 with the Python found ($PYTHON or python3) and installs Flott for development in it.
set -euo pipefail

venv=$1
python=${PYTHON:-python3}

fail() {
  echo "$1" >&2
  exit 1
}

command -v "$python" >/dev/null || fail "No $python here. Install Python 3.10 or newer, or name one: make setup PYTHON=python3.12"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' ||
  fail "Flott needs Python 3.10 or newer; $python is $("$python" -V). Name another one: make setup PYTHON=python3.12"

# A half-made environment (pip missing) is made again.
if ! "$venv/bin/python" -m pip --version >/dev/null 2>&1; then
  echo "Creating $venv with $("$python" -V)"
  "$python" -m venv --clear "$venv" ||
    fail "$python can't make virtual environments. Debian, Ubuntu: sudo apt-get install python3-venv"
fi

# uv is quicker, but does not read pip's settings (mirrors, certificates): where it can't, pip does it.
uv=""
if [[ -x $venv/bin/uv ]]; then
  uv=$venv/bin/uv
elif command -v uv >/dev/null; then
  uv=uv
fi

echo "Installing Flott and its tools (Spark is 400 MB: the first time takes a few minutes)"
if [[ -z $uv ]] || ! "$uv" pip install --quiet --python "$venv/bin/python" -e '.[dev]'; then
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check -e '.[dev]'
fi

"$venv/bin/python" -c 'import sys; from flott.runtime import native; sys.exit(native.entries is None)' ||
  echo "There is no C compiler here, or no Python.h: Flott runs in Python alone, which is slower with many keys"

# What the first run of the tests would do in each of its processes at the same time: compile the sources, and learn what a
# character is.
"$venv/bin/python" -m compileall -q -j 0 src
"$venv/bin/python" -c 'from hypothesis.internal.charmap import charmap; charmap()' || true

# Java starts in half the time when it finds Spark's classes ready-made; where it can't write them down, it works without.
if command -v java >/dev/null; then
  "$venv/bin/flott" doctor --prepare --no-spark || true
fi
