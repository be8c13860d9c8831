#!/usr/bin/env bash
# Creates the virtual environment $1 with the Python found ($PYTHON or python3) and installs Flott in it: what a job needs
# ($2 is runtime), or what tests and docs need too (development). Each step is a line with the seconds since the start.
set -euo pipefail

venv=$1
kind=$2
python=${PYTHON:-python3}

fail() {
  echo "$1" >&2
  exit 1
}

step() {
  printf '[%3d s] %s\n' "$SECONDS" "$1"
}

case $kind in
  runtime) wanted=. ;;
  development) wanted='.[dev]' ;;
  *) fail "$0: expected runtime or development, but got $kind" ;;
esac

command -v "$python" >/dev/null || fail "No $python here. Install Python 3.10 or newer, or name one: make setup PYTHON=python3.12"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' ||
  fail "Flott needs Python 3.10 or newer; $python is $("$python" -V). Name another one: make setup PYTHON=python3.12"

# A half-made environment (pip missing) is made again.
if ! "$venv/bin/python" -m pip --version >/dev/null 2>&1; then
  step "Creating $venv with $("$python" -V)"
  "$python" -m venv --clear "$venv" ||
    fail "$python can't make virtual environments. Debian, Ubuntu: sudo apt-get install python3-venv"
fi

# uv is quicker than pip, but does not read pip's settings: those that name mirrors and certificates are handed over.
export UV_FIND_LINKS=${UV_FIND_LINKS-${PIP_FIND_LINKS-}}
[[ -z ${PIP_INDEX_URL-} ]] || export UV_DEFAULT_INDEX=${UV_DEFAULT_INDEX-$PIP_INDEX_URL}
[[ -z ${PIP_CERT-} ]] || export SSL_CERT_FILE=${SSL_CERT_FILE-$PIP_CERT}
[[ -n $UV_FIND_LINKS ]] || unset UV_FIND_LINKS
uv=""
if [[ -x $venv/bin/uv ]]; then
  uv=$venv/bin/uv
elif command -v uv >/dev/null; then
  uv=uv
elif [[ $kind == runtime ]] && "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --only-binary :all: uv 2>/dev/null; then
  uv=$venv/bin/uv
fi

if [[ $kind == runtime ]]; then
  step "Installing Flott and Spark (400 MB the first time)"
else
  step "Installing Flott, Spark (400 MB the first time) and the tools for tests and docs"
fi
if [[ -z $uv ]] || ! "$uv" pip install --quiet --python "$venv/bin/python" -e "$wanted"; then
  [[ -z $uv ]] || step "uv could not install it: trying pip"
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check -e "$wanted"
fi

"$venv/bin/python" -c 'import sys; from flott.runtime import native; sys.exit(native.entries is None)' ||
  step "There is no C compiler here, or no Python.h: Flott runs in Python alone, which is slower with many keys"

if [[ $kind == development ]]; then
  # What the first run of the tests would do in each of its processes at the same time: compile the sources, and learn what
  # a character is.
  step "Compiling Python sources"
  "$venv/bin/python" -m compileall -q -j 0 src
  "$venv/bin/python" -c 'from hypothesis.internal.charmap import charmap; charmap()' || true

  # Java starts in half the time when it finds Spark's classes ready-made; where it can't write them down, it works without.
  if command -v java >/dev/null; then
    step "Writing the archive of Spark's classes"
    "$venv/bin/flott" doctor --prepare --no-spark || true
  fi
fi
step "Installed in $venv"
