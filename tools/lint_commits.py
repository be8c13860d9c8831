"""Checks the messages of commits: the subject imperative, scope first, short; all of it in the words of the field.

Run it with `make lint`, or `python tools/lint_commits.py [repository [revision]]`: it reads the commits after a
revision, without merges. Where the history is not there (a shallow clone, an unpacked archive) it checks nothing and
says so. Each finding is one line, `commit: subject: message` or `commit: body: message`; any finding makes exit code 1.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from lint_words import AFTER, WORDS, hits_in, read_phrases

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lint_words import Phrase

LANDED = frozenset({
    "ad55eaf48a0034995fa940c495aa00c06eeab73b", "10fb9262a981e45513613909bdd5c988fadfada3",
    "c00a01cab1b87aeb3dfa6b9484274f836248dbb6",
    "9693ef64fa52ab383d5e4837a5f6129873d5a7a5", "10f66b32704e9e4188f8380f5feca1f1878e7661",
})  # fmt: skip
"""Commits with a bad subject or body that were on main before anybody noticed: main is not rewritten for them."""

TOO_LONG = 72
SUBJECT = re.compile(r"(?P<scope>[\w./+, -]+): (?P<verb>[^\s,;]+)(?: |$)")
NO_VERBS = frozenset({
    "a", "all", "an", "and", "as", "at", "better", "by", "each", "every", "faster", "fewer", "for", "from", "how", "if",
    "in", "it", "its", "less", "more", "new", "no", "now", "of", "on", "only", "or", "slower", "some", "that", "the",
    "there", "these", "this", "to", "two", "what", "when", "which", "why", "with", "without",
})  # fmt: skip
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


def findings_in_body(body: str, phrases: list[Phrase]) -> Iterator[str]:
    """Yields what is wrong with the rest of a message."""
    for hit in hits_in("", body, phrases):
        yield f"line {hit.first + 2}: '{hit.found}'; write: {hit.phrase.instead}"


def commits(repository: Path, after: str) -> list[tuple[str, str, str]] | None:
    """Returns hash, subject and body of each commit after a revision; None if the history is not there."""
    format_ = "--format=%H%x00%s%x00%b%x00%x00"
    command = ["git", "-C", str(repository), "log", "--no-merges", format_, f"{after}..HEAD"]
    try:
        log = subprocess.run(command, capture_output=True, text=True, check=True).stdout  # noqa: S603 - our own words
    except (OSError, subprocess.CalledProcessError):
        return None
    found = []
    for message in log.split("\0\0\n"):
        if message:
            name, subject, body = message.split("\0")
            if name not in LANDED:
                found.append((name, subject, body))
    return found


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
    findings = []
    for name, subject, body in found:
        findings += [f"{name[:7]}: subject: {finding} ({subject})" for finding in findings_of(subject, phrases)]
        findings += [f"{name[:7]}: body: {finding}" for finding in findings_in_body(body, phrases)]
    print("\n".join(findings) if findings else "commits: ok")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
