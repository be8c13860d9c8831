"""What a power failure leaves of a directory on the local disk: contents and names that were synced, nothing else."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path


class Disk:
    """Watches what is synced; knows what a power failure leaves."""

    def __init__(self, root, monkeypatch):
        self.root = Path(root)
        self.contents = {}
        self.entries = {}
        self.held = []
        """A file that stays open keeps its number, so no other file is taken for it."""
        self._fsync = os.fsync
        monkeypatch.setattr(os, "fsync", self.synced)
        self.sync_everything()

    def synced(self, handle):
        """Note what a sync makes durable: the content of a file, or the names in a directory."""
        self.held.append(os.dup(handle))
        number = os.fstat(handle).st_ino
        path = Path(f"/proc/self/fd/{handle}").readlink()
        if not stat.S_ISDIR(os.fstat(handle).st_mode):
            self.contents[number] = Path(f"/proc/self/fd/{handle}").read_bytes()
        elif path.exists():
            self.entries[number] = {entry.name: entry.inode() for entry in os.scandir(path)}

    def sync_everything(self):
        for path in [self.root, *self.root.rglob("*")]:
            handle = os.open(path, os.O_RDONLY)
            self.synced(handle)
            os.close(handle)

    def lose_power(self):
        """Leave of the directory what was durable."""
        left = self._left(self.root.stat().st_ino)
        for path in self.root.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        self._restore(self.root, left)
        self.sync_everything()

    def _left(self, number):
        return {
            name: self._left(inner) if inner in self.entries else self.contents.get(inner, b"")
            for name, inner in self.entries[number].items()
            if inner in self.entries or inner in self.contents or not self._was_directory(inner)
        }

    def _was_directory(self, number):
        return any(path.is_dir() and path.stat().st_ino == number for path in self.root.rglob("*"))

    def _restore(self, folder, left):
        for name, what in left.items():
            if isinstance(what, bytes):
                (folder / name).write_bytes(what)
            else:
                (folder / name).mkdir()
                self._restore(folder / name, what)

    def close(self):
        for handle in self.held:
            os.close(handle)
        self.held.clear()
