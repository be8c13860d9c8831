#!/usr/bin/env bash
# Makes sure that Spark finds Java 17 or newer: the one of JAVA_HOME, else the one on the PATH, else installs it where it may.
# Uses no other program than java, apt-get and sudo, so that it works on a bare machine.
set -euo pipefail

wanted=17

# Prints the major version of a java command; fails if it is no working Java.
major_version() {
  local text
  text=$("$1" -version 2>&1) || return 1
  [[ $text =~ version\ \"(1\.)?([0-9]+) ]] || return 1
  echo "${BASH_REMATCH[2]}"
}

explain() {
  {
    echo "Flott runs on Spark, and Spark needs Java $wanted or newer: $1"
    echo "$2"
    echo "Then run the command again."
  } >&2
  exit 1
}

# Spark takes JAVA_HOME over the PATH, so an unfit JAVA_HOME can't be mended by installing anything.
if [[ -n ${JAVA_HOME:-} ]]; then
  version=$(major_version "$JAVA_HOME/bin/java") ||
    explain "JAVA_HOME is $JAVA_HOME, where no working bin/java is." "Set JAVA_HOME to a Java $wanted, or unset it."
  ((version >= wanted)) ||
    explain "JAVA_HOME is $JAVA_HOME, which is Java $version." "Set JAVA_HOME to a Java $wanted, or unset it."
  exit 0
fi

found="no java is on the PATH."
if version=$(major_version java 2>/dev/null); then
  ((version >= wanted)) && exit 0
  found="the java on the PATH is Java $version."
fi

as_root=()
if ((EUID != 0)); then
  as_root=(sudo -n)
fi

if command -v apt-get >/dev/null && { ((EUID == 0)) || sudo -n true 2>/dev/null; }; then
  # Debian 12 has 17, Debian 13 has 21.
  for package in openjdk-17-jre-headless openjdk-21-jre-headless; do
    echo "Installing $package ($found)"
    if { "${as_root[@]}" apt-get update -qq && "${as_root[@]}" apt-get install -y -qq --no-install-recommends "$package"; } >&2; then
      hash -r
      version=$(major_version java 2>/dev/null) && ((version >= wanted)) && exit 0
    fi
  done
  explain "$found" "apt-get could not install it; its messages stand above. Install a Java $wanted by hand and set JAVA_HOME to it."
fi

explain "$found" "Install it (Debian, Ubuntu: sudo apt-get install openjdk-17-jre-headless; macOS: brew install openjdk@17; or adoptium.net)."
