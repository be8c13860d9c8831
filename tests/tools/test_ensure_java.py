from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "tools" / "ensure_java.sh"
BASH = "/bin/bash"


class BareMachine:
    """A PATH with nothing on it but the commands a test puts there."""

    def __init__(self, folder):
        self.bin = folder / "bin"
        self.bin.mkdir()
        self.log = folder / "log"
        self.log.touch()

    def add(self, name, body, folder=None):
        path = (folder or self.bin) / name
        path.write_text(f"#!{BASH}\n{body}\n")
        path.chmod(0o755)
        return path

    def add_java(self, version, folder=None):
        return self.add("java", f"echo 'openjdk version \"{version}\" 2024-01-16' >&2", folder)

    def add_apt(self, *packages, java="17.0.15"):
        """apt-get that knows these packages and installs a Java; sudo that asks for no password."""
        known = "|".join(packages) or "none"
        store = self.bin.parent / "store"
        store.mkdir()
        self.add_java(java, store)
        self.add(
            "apt-get",
            f'echo "$@" >> {self.log}\n'
            "[[ $1 == update ]] && exit 0\n"
            f'[[ "${{@: -1}}" =~ ^({known})$ ]] || exit 100\n'
            f"/bin/cp -p {store}/java {self.bin}/java",
        )
        self.add("sudo", 'shift\n[[ $1 == true ]] && exit 0\nexec "$@"')

    def run(self, **environment):
        return subprocess.run(
            [BASH, SCRIPT],
            env={"PATH": str(self.bin), **environment},
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture
def machine(tmp_path):
    return BareMachine(tmp_path)


@pytest.mark.parametrize("version", ["17", "17.0.15", "21.0.2", "25-ea"])
def test_a_new_enough_java_on_the_path_is_taken_silently(machine, version):
    machine.add_java(version)
    done = machine.run()
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_java_home_is_taken_over_the_path(machine, tmp_path):
    machine.add_java("1.8.0_402")
    home = tmp_path / "jdk" / "bin"
    home.mkdir(parents=True)
    machine.add_java("17.0.1", home)
    assert machine.run(JAVA_HOME=str(home.parent)).returncode == 0


def test_an_old_java_home_is_explained_and_nothing_is_installed(machine, tmp_path):
    machine.add_apt("openjdk-17-jre-headless")
    machine.add_java("17.0.15")
    home = tmp_path / "jdk" / "bin"
    home.mkdir(parents=True)
    machine.add_java("11.0.22", home)
    done = machine.run(JAVA_HOME=str(home.parent))
    assert done.returncode == 1
    assert f"JAVA_HOME is {home.parent}, which is Java 11." in done.stderr
    assert machine.log.read_text() == ""


def test_a_java_home_without_java_is_explained(machine, tmp_path):
    done = machine.run(JAVA_HOME=str(tmp_path / "gone"))
    assert done.returncode == 1
    assert "where no working bin/java is" in done.stderr


def test_without_java_and_without_apt_it_says_what_to_install(machine):
    done = machine.run()
    assert done.returncode == 1
    assert "needs Java 17 or newer: no java is on the PATH." in done.stderr
    assert "apt-get install openjdk-17-jre-headless" in done.stderr


def test_an_old_java_on_the_path_is_named(machine):
    machine.add_java("1.8.0_402")
    done = machine.run()
    assert done.returncode == 1
    assert "the java on the PATH is Java 8." in done.stderr


def test_a_java_that_does_not_start_counts_as_none(machine):
    machine.add("java", "echo 'Unable to locate a Java Runtime' >&2; exit 1")
    done = machine.run()
    assert done.returncode == 1
    assert "no java is on the PATH." in done.stderr


def test_where_apt_may_it_installs_java_17(machine):
    machine.add_apt("openjdk-17-jre-headless")
    done = machine.run()
    assert done.returncode == 0, done.stderr
    assert machine.log.read_text().splitlines() == [
        "update -qq",
        "install -y -qq --no-install-recommends openjdk-17-jre-headless",
    ]


def test_where_there_is_no_17_it_installs_21(machine):
    machine.add_apt("openjdk-21-jre-headless", java="21.0.2")
    assert machine.run().returncode == 0


def test_when_apt_fails_it_says_so(machine):
    machine.add_apt()
    done = machine.run()
    assert done.returncode == 1
    assert "apt-get could not install it" in done.stderr
