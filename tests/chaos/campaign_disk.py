"""A file system of one's own, whose power can be cut: what was not synced is lost, as on a real machine."""

from __future__ import annotations

import fcntl
import os
import struct
import subprocess
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.waiting import wait_until

SIZE = 1 << 30
EXT4_IOC_SHUTDOWN = 0x8004587D
WITHOUT_FLUSHING = 2


class LoopDisk:
    """An ext4 file system in a file, mounted by way of a loop device."""

    def __init__(self, place):
        self.image = Path(f"{place}.img")
        self.path = str(place)
        Path(place).mkdir()
        with self.image.open("wb") as file:
            file.truncate(SIZE)
        run("mkfs.ext4", "-q", str(self.image))
        self.mount()

    def mount(self):
        run("mount", "-o", "loop", str(self.image), self.path)

    def stop_writing(self):
        """Cut the power: from now on nothing reaches the disk any more, what was not synced is lost."""
        handle = os.open(self.path, os.O_RDONLY)
        try:
            fcntl.ioctl(handle, EXT4_IOC_SHUTDOWN, struct.pack("I", WITHOUT_FLUSHING))
        finally:
            os.close(handle)

    def come_back(self):
        """Switch the power on again; everybody who used the disk has to be dead."""
        self.unmount()
        self.mount()

    def unmount(self, *, lazily=False):
        if lazily:
            subprocess.run(["umount", "-q", "-l", self.path], check=False)  # noqa: S607
            return
        wait_until("nobody to use the disk", lambda: subprocess.run(["umount", self.path], check=False).returncode == 0)  # noqa: S607

    @contextmanager
    def full(self):
        """Leave no room on the disk for a while."""
        filler = Path(self.path, "filler")
        room = os.statvfs(self.path)
        with filler.open("wb") as file:
            # What others write meanwhile may be in the way: then there is no room already.
            for size in (room.f_bavail * room.f_bsize, 1 << 20, 1 << 16):
                with suppress(OSError):
                    os.posix_fallocate(file.fileno(), file.seek(0, os.SEEK_END), size)
        try:
            yield
        finally:
            filler.unlink(missing_ok=True)

    def remove(self):
        self.unmount()
        self.image.unlink()
        Path(self.path).rmdir()


def run(*command):
    subprocess.run(command, check=True)
