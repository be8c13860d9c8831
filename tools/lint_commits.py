"""Checks the subjects of commits: imperative, scope first, short, in the words of the field.

Run it with `make lint`, or `python tools/lint_commits.py [repository [revision]]`: it reads the commits after a
revision, without merges. Where the history is not there (a shallow clone, an unpacked archive) it checks nothing and
says so. Each finding is one line, `commit: subject: message`; any finding makes exit code 1.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from lint_words import WORDS, hits_in, read_phrases

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lint_words import Phrase

AFTER = "d89bb6b8e1a76e6131eed9005e1e8be921d8ee11"
"""The last commit from before there were rules for subjects."""
LANDED = frozenset({"ad55eaf48a0034995fa940c495aa00c06eeab73b"})
"""Commits with a bad subject that were on main before anybody noticed: main is not rewritten for them."""

TOO_LONG = 72
SUBJECT = re.compile(r"(?P<scope>[\w./+, -]+): (?P<verb>[^\s,;]+)(?: |$)")
NO_VERBS = frozenset({"a", "an", "the", "no", "it", "its", "this", "these", "there", "what", "when", "now"})
VERBS = frozenset({
    "access", "address", "alias", "always", "bias", "bring", "bypass", "compress", "discuss", "embed", "exceed",
    "express", "feed", "focus", "guess", "miss", "need", "pass", "ping", "press", "proceed", "process", "ring", "seed",
    "shed", "speed", "spring", "stress", "string", "succeed", "suppress", "toss", "witness",
})  # fmt: skip
"""Words that end as other forms do, and may stand before or for an imperative."""
OTHER_FORMS = ("s", "ed", "ing")


def findings_of(subject: str, phrases: list[Phrase]) -> Iterator[str]:
    """Yields what is wrong with the subject of a commit."""
    if len(subject) >= TOO_LONG:
        yield f"{len(subject)} characters; keep it under {TOO_LONG}, the body has room"
    match = SUBJECT.match(subject)
    if match is None:
        yield "no scope; write 'scope: do something', as in 'state: flush on checkpoint'"
    elif not _is_imperative(match["verb"].lower()):
        yield f"'{match['verb']}' is not an imperative; write 'scope: do something', as in 'state: flush on checkpoint'"
    for hit in hits_in("", subject, phrases):
        yield f"'{hit.found}'; write: {hit.phrase.instead}"


def _is_imperative(word: str) -> bool:
    """Whether a word can be one: what ends as other forms do is none, unless it is a known verb.

    >>> [word for word in ("flush", "flushes", "flushed", "flushing", "the", "compress") if _is_imperative(word)]
    ['flush', 'compress']
    """
    return word in VERBS or not (word in NO_VERBS or word.endswith(OTHER_FORMS))


def commits(repository: Path, after: str) -> list[tuple[str, str]] | None:
    """Returns hash and subject of each commit after a revision; None if the history is not there."""
    command = ["git", "-C", str(repository), "log", "--no-merges", "--format=%H %s", f"{after}..HEAD"]
    try:
        log = subprocess.run(command, capture_output=True, text=True, check=True).stdout  # noqa: S603 - our own words
    except (OSError, subprocess.CalledProcessError):
        return None
    found = (line.partition(" ") for line in log.splitlines())
    return [(name, subject) for name, _, subject in found if name not in LANDED]


def main(arguments: list[str]) -> int:
    """Prints the findings; returns the exit code."""
    here = Path(__file__).resolve().parent.parent
    repository = Path(arguments[0]) if arguments else here
    after = arguments[1] if len(arguments) > 1 else AFTER
    found = commits(repository, after)
    if found is None:
        print(f"commits: no history since {after[:7]} here, nothing checked")
        return 0
    phrases = read_phrases((here / WORDS).read_text(encoding="utf-8"))
    findings = [
        f"{name[:7]}: subject: {finding} ({subject})"
        for name, subject in found
        for finding in findings_of(subject, phrases)
    ]
    print("\n".join(findings) if findings else "commits: ok")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
