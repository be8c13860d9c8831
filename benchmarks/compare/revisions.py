"""The sources of a revision with its compiled parts, in a cache outside the checkout."""

from __future__ import annotations

import fcntl
import io
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NATIVE = Path("src/flott/runtime/native")
PARTS = ("src", "hatch_build.py")
"""What of a revision is run: programs come from the checkout that compares."""


def cache_folder() -> Path:
    """Return where builds and results are kept: FLOTT_COMPARE_CACHE, or in the user's cache."""
    chosen = os.environ.get("FLOTT_COMPARE_CACHE")
    return Path(chosen) if chosen else Path.home() / ".cache" / "flott-compare"


def git(*arguments: str, index: str | None = None) -> bytes:
    environment = os.environ | ({"GIT_INDEX_FILE": index} if index else {})
    done = subprocess.run(["git", "-C", ROOT, *arguments], capture_output=True, check=False, env=environment)  # noqa: S607
    if done.returncode:
        raise SystemExit(f"git {' '.join(arguments)}: {done.stderr.decode().strip()}")
    return done.stdout


@dataclass(frozen=True)
class Revision:
    """A tree of Git, as the user named it."""

    name: str
    tree: str

    @staticmethod
    def of(name: str) -> Revision:
        """Return a revision; ``.`` is the checkout as it is, changes that are not committed included."""
        if name == ".":
            return Revision("the working tree", working_tree())
        return Revision(name, git("rev-parse", "--verify", f"{name}^{{tree}}").decode().strip())

    def key(self, *parts: str) -> str:
        """Return a name for some parts of it: two revisions with the same parts share what is built of them."""
        objects = git("ls-tree", self.tree, *parts)
        return sha256(objects + sys.version.encode()).hexdigest()[:16]

    def changed_since(self, old: Revision) -> list[str]:
        """Return the files in which it differs from an older one."""
        return git("diff", "--name-only", old.tree, self.tree).decode().splitlines()


def is_known(name: str) -> bool:
    """Return whether this clone, if it is one, has a revision."""
    command = ["git", "-C", ROOT, "cat-file", "-e", f"{name}^{{tree}}"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def working_tree() -> str:
    """Write the files of the checkout, without a commit and without its index, as a tree."""
    with tempfile.TemporaryDirectory() as folder:
        index = str(Path(folder) / "index")
        git("read-tree", "HEAD", index=index)
        git("add", "--all", index=index)
        return git("write-tree", index=index).decode().strip()


def built(revision: Revision) -> Path:
    """Return the folder ``src`` of a revision, with its compiled parts; build it if nobody did so before."""
    folder = cache_folder() / "builds" / revision.key(*PARTS)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with locked(folder.parent / "lock"):
        if not folder.exists():
            print(f"building {revision.name} in {folder}", file=sys.stderr, flush=True)
            build(revision, folder)
        folder.touch()
    return folder / "src"


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Wait until no other process holds this lock."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def build(revision: Revision, folder: Path) -> None:
    """Extract a revision, and compile it unless another one with the same compiled parts is here."""
    compiled = folder.parent / f"native-{revision.key(str(NATIVE), 'hatch_build.py')}"
    with tempfile.TemporaryDirectory(dir=folder.parent) as made:
        extracted = Path(made) / "revision"
        with tarfile.open(fileobj=io.BytesIO(git("archive", revision.tree, *PARTS))) as archive:
            archive.extractall(extracted, filter="data")
        if not compiled.exists():
            subprocess.run([sys.executable, "hatch_build.py"], cwd=extracted, check=True, stdout=sys.stderr)
            fresh = Path(made) / "native"
            fresh.mkdir()
            for module in (extracted / NATIVE).glob("*.so"):
                shutil.copy2(module, fresh)
            fresh.rename(compiled)
        for module in compiled.iterdir():
            shutil.copy2(module, extracted / NATIVE)
        extracted.rename(folder)
