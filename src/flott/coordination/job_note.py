"""The one file that says what a job's directory holds: who owns the job, how it stands and which checkpoints count."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from typing import Any
from uuid import uuid4
from zlib import crc32

from flott.errors import CheckpointError

RECORD = "_job"
RUNNING = "RUNNING"


@dataclass(frozen=True, slots=True)
class Published:
    """A checkpoint that counts."""

    folder: str
    commits: bool = True
    """Whether it led to commits outside, or functions were notified: going back before it repeats them.

    The oldest of a job stands for those before it as well."""

    @property
    def number(self) -> int:
        """The number of the checkpoint.

        >>> Published("chk-12").number, Published("chk-12.3").number
        (12, 12)
        """
        return int(self.folder.removeprefix("chk-").partition(".")[0])


def newest(checkpoints: list[Published], count: int) -> tuple[Published, ...]:
    """Return the newest of some checkpoints; the oldest of them remembers whether those before it led to commits.

    >>> newest([Published("chk-1"), Published("chk-2", commits=False), Published("chk-3", commits=False)], 2)
    (Published(folder='chk-2', commits=True), Published(folder='chk-3', commits=False))
    """
    gone, oldest, later = checkpoints[:-count], checkpoints[-count:][0], checkpoints[-count:][1:]
    return (replace(oldest, commits=oldest.commits or any(one.commits for one in gone)), *later)


@dataclass(frozen=True, slots=True)
class JobNote:
    """What stands in the record of a job."""

    name: str
    status: str
    owner: str = ""
    epoch: int = 0
    """Counts the drivers of the job: each has a higher one. 0: written by Flott 0.1, which had none."""
    created: float = 0.0
    renewed: float = 0.0
    """When the owner said last that it lives, by its clock."""
    lease: float = 60.0
    """It counts as gone when it has not said so for so many seconds."""
    host: str = ""
    pid: int = 0
    savepoint: str | None = None
    """What the job was started from."""
    rest: str | None = None
    """Where it can be steered."""
    checkpoints: tuple[Published, ...] | None = None
    """Those that count, oldest first. None: written by Flott 0.1, where all that are complete do."""
    apart: bool = False
    """It was started beside another job of its name: its transactional ids are its own."""
    abandoned: bool = False
    """Another job was started in its place: it is not resumed without being asked for."""

    @property
    def is_running(self) -> bool:
        """Whether it did not end, as far as it could say."""
        return self.status == RUNNING

    def encode(self) -> bytes:
        """Write the note down, with a checksum, and unique: a write must be able to recognise itself."""
        text = json.dumps({**asdict(self), "nonce": uuid4().hex}).encode()
        return b"%s\n%08x\n" % (text, crc32(text))


def decode_note(content: bytes, place: str) -> JobNote:
    """Read a note; a damaged one is refused."""
    text, _, checksum = content.partition(b"\n")
    try:
        if checksum and int(checksum, 16) != crc32(text):
            raise ValueError("its checksum does not match")  # noqa: TRY301
        fields: dict[str, Any] = json.loads(text)
        known = {name: fields[name] for name in JobNote.__slots__ if name in fields}
        if known.get("checkpoints") is not None:
            known["checkpoints"] = tuple(Published(**one) for one in known["checkpoints"])
        return JobNote(**known)
    except (ValueError, TypeError, AttributeError) as error:
        message = (
            f"{place} is damaged ({error}; {len(content)} bytes). It says which checkpoint counts, so the job "
            f"can't go on by itself. Start from a checkpoint beside it (-s DIR/chk-n), which writes again what was "
            f"committed after that one, and add --new; or remove the directory, which starts from the beginning"
        )
        raise CheckpointError(message) from None
