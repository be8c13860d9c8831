"""Checks that code, docs and messages use the words of the field: the phrases of `tools/words.txt` do not become more.

    python tools/lint_words.py                    what `make lint` runs: no file has more of a phrase than the baseline,
                                                  and none stands on a line that was added since there is this list
    python tools/lint_words.py --since REVISION   every phrase on a line that was added since a revision
    python tools/lint_words.py --write            lowers the baseline to what is left; moved phrases move along
    python tools/lint_words.py --count            how often each phrase occurs now

The baseline, `tools/words_baseline.txt`, holds how often a phrase may still occur in a file; nothing of it needs git.
Where the history is not there (a shallow clone, an unpacked archive), it is all that is checked.
After a change of the phrases themselves, remove it and let `--write` make it. Each finding is one line,
`file:line: words: message`; any finding makes exit code 1.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

WORDS = Path("tools/words.txt")
BASELINE = Path("tools/words_baseline.txt")
AFTER = "d89bb6b8e1a76e6131eed9005e1e8be921d8ee11"
"""The last commit from before there were rules for words and for subjects of commits."""
ROOTS = ("src", "tests", "tools", "examples", "benchmarks", "docs")
SUFFIXES = frozenset({
    ".py", ".pyi", ".pyx", ".pxd", ".java", ".js", ".css", ".html", ".md", ".ipynb", ".sh", ".yaml", ".yml",
    ".toml", ".ini", ".sql",
})  # fmt: skip
NAMES = frozenset({"Makefile", ".ci/run"})
"""Files without a suffix."""
ABOUT_WORDS = frozenset({WORDS, BASELINE, *(Path(f"tests/tools/test_lint_{name}.py") for name in ("words", "commits"))})
"""These have to name the phrases."""
LEFT_BY_RUNS = Path("benchmarks/results")

SPACE = r"""(?:[\s_]+(?:(?:\#:?|//|\*|>)[ ]+)?|[ ]?["'][ ]*\n[ ]*[bfr]{0,2}["'][ ]?)"""
"""Between two words of a phrase: also the end of a line of comment or quotation, or of the part of a string literal."""

Counts: TypeAlias = "Counter[tuple[str, str]]"
"""How often a phrase occurs, by file and phrase."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """Something not to write, and what to write instead."""

    text: str
    instead: str
    pattern: re.Pattern[str]
    """Its group `wrong` is the phrase; a match without it is right."""
    word: str
    """A word that is in every match; looking for it is much faster than matching."""

    def hits(self, text: str) -> Iterator[re.Match[str]]:
        """Yields every use of the phrase in a text in lower case."""
        if self.word in text:
            yield from (match for match in self.pattern.finditer(text) if match["wrong"])


@dataclass(frozen=True, slots=True)
class Hit:
    """One use of a phrase."""

    file: str
    first: int
    last: int
    found: str
    phrase: Phrase

    def __str__(self) -> str:
        return f"{self.file}:{self.first}: words: '{self.found}'; write: {self.phrase.instead}"


# ------------------------------------------------------------------------------------ the phrases


def read_phrases(text: str) -> list[Phrase]:
    """Reads a list of phrases: lines `[what to write]`, each with the phrases not to write below it."""
    phrases: list[Phrase] = []
    instead = ""
    for line in text.splitlines():
        if line.startswith("["):
            instead = line.strip("[]")
        elif line and not line.startswith("#"):
            wrong, _, right = (part.strip() for part in line.partition("   unless   "))
            phrases.append(_phrase(wrong, right, instead))
    return phrases


def _phrase(wrong: str, right: str, instead: str) -> Phrase:
    expression = f"{right}|(?P<wrong>{wrong})" if right else f"(?P<wrong>{wrong})"
    # Longest first, though a phrase behind an alternative may be shorter: every literal word is in every match.
    word = max(re.findall(r"[a-z]+", re.sub(r"\([^()]*\)\??|\\.[+*?]?|.\?", " ", wrong)), key=len)
    pattern = re.compile(rf"(?<![a-z0-9])(?:{expression})(?![a-z0-9])".replace(" ", SPACE))
    return Phrase(wrong, instead, pattern, word)


# ------------------------------------------------------------------------------------ where they are


def hits_in(file: str, text: str, phrases: Iterable[Phrase]) -> Iterator[Hit]:
    """Yields every use of a phrase in a file."""
    lowered = text.lower()
    for phrase in phrases:
        for match in phrase.hits(lowered):
            found = match["wrong"]
            first = lowered.count("\n", 0, match.start("wrong")) + 1
            yield Hit(file, first, first + found.count("\n"), " ".join(re.sub(SPACE, " ", found).split()), phrase)


def all_hits(repository: Path, phrases: list[Phrase]) -> list[Hit]:
    """Returns every use of a phrase in a repository, by file and line."""
    hits = [
        hit
        for path in _files(repository)
        for hit in hits_in(path.as_posix(), (repository / path).read_text(encoding="utf-8"), phrases)
    ]
    return sorted(hits, key=lambda hit: (hit.file, hit.first))


def _files(repository: Path) -> list[Path]:
    """Lists what is read: the project's own texts, not what tools and runs leave."""
    found = [path for root in ROOTS for path in (repository / root).rglob("*")]
    found += [*repository.glob("*"), *repository.glob(".ci/*")]
    relative = (path.relative_to(repository) for path in found)
    return sorted(
        path
        for path in relative
        if (path.suffix in SUFFIXES or path.as_posix() in NAMES)
        and path not in ABOUT_WORDS
        and LEFT_BY_RUNS not in path.parents
        and (repository / path).is_file()
    )


# ------------------------------------------------------------------------------------ the baseline


def counts_of(hits: Iterable[Hit]) -> Counts:
    """Returns how often each phrase occurs in each file."""
    return Counter((hit.file, hit.phrase.text) for hit in hits)


def read_baseline(repository: Path) -> Counts:
    """Returns how often a phrase may occur in a file; nothing may without a baseline."""
    path = repository / BASELINE
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    rows = (line.split("\t") for line in lines)
    return Counter({(file, phrase): int(count) for file, count, phrase in rows})


def write_baseline(repository: Path, counts: Counts) -> None:
    """Writes how often each phrase may occur in each file from now on."""
    lines = (f"{file}\t{count}\t{phrase}\n" for (file, phrase), count in sorted(counts.items()))
    (repository / BASELINE).write_text("".join(lines), encoding="utf-8")


def beyond(hits: list[Hit], baseline: Counts) -> list[str]:
    """Returns a finding for every use of a phrase in a file that has more of it than the baseline."""
    counts = counts_of(hits)
    findings = []
    for hit in hits:
        key = (hit.file, hit.phrase.text)
        if counts[key] > baseline[key]:
            before = f" ({counts[key]} in this file, {baseline[key]} before)" if baseline[key] else ""
            findings.append(f"{hit}{before}")
    return findings


def lower(repository: Path, hits: list[Hit]) -> list[str]:
    """Rewrites the baseline unless a phrase would become more; returns the phrases that would."""
    counts, baseline = counts_of(hits), read_baseline(repository)
    now, before = _by_phrase(counts), _by_phrase(baseline)
    more = [
        f"{BASELINE}:1: words: {now[phrase]} of '{phrase}' instead of {before[phrase]}; the baseline may only go down"
        for phrase in now
        if now[phrase] > before[phrase] and (repository / BASELINE).exists()
    ]
    if not more:
        write_baseline(repository, counts)
    return more


def _by_phrase(counts: Counts) -> Counter[str]:
    totals: Counter[str] = Counter()
    for (_, phrase), count in counts.items():
        totals[phrase] += count
    return totals


# ------------------------------------------------------------------------------------ what was added


def added_lines(diff: str) -> set[tuple[str, int]]:
    r"""Returns file and number of each line that a diff without context adds.

    >>> sorted(added_lines("+++ b/docs/a.md\n@@ -3,0 +4,2 @@ title\n+one\n+two\n"))
    [('docs/a.md', 4), ('docs/a.md', 5)]
    """
    added: set[tuple[str, int]] = set()
    file = ""
    for line in diff.splitlines():
        if line.startswith("+++ "):
            file = line.removeprefix("+++ ").removeprefix("b/")
        elif hunk := re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line):
            start, count = int(hunk[1]), int(hunk[2] or 1)
            added.update((file, number) for number in range(start, start + count))
    return added


def since(repository: Path, revision: str, hits: list[Hit]) -> list[str]:
    """Returns the uses of phrases on lines that were added since a revision, or are not committed yet."""
    command = ["git", "-C", str(repository), "diff", "--unified=0", "--no-color", "--no-ext-diff", revision]
    diff = subprocess.run(command, capture_output=True, text=True, check=True).stdout  # noqa: S603 - our own words
    added = added_lines(diff)
    return [str(hit) for hit in hits if any((hit.file, line) in added for line in range(hit.first, hit.last + 1))]


def is_known(repository: Path, revision: str) -> bool:
    """Returns whether the repository has a history with this revision."""
    command = ["git", "-C", str(repository), "cat-file", "-e", f"{revision}^{{commit}}"]
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0  # noqa: S603 - our own words
    except OSError:
        return False


# ------------------------------------------------------------------------------------ the command


def main(arguments: list[str]) -> int:
    """Prints the findings; returns the exit code."""
    parser = argparse.ArgumentParser(description="Checks the words of code, docs and messages.")
    parser.add_argument("repository", nargs="?", type=Path, default=Path(__file__).resolve().parent.parent)
    parser.add_argument("--since", metavar="REVISION", help="check the lines that were added since a revision")
    parser.add_argument("--write", action="store_true", help="lower the baseline")
    parser.add_argument("--count", action="store_true", help="print how often each phrase occurs")
    chosen = parser.parse_args(arguments)
    phrases = read_phrases((chosen.repository / WORDS).read_text(encoding="utf-8"))
    hits = all_hits(chosen.repository, phrases)
    if chosen.count:
        counts = Counter(hit.phrase.text for hit in hits)
        print("\n".join(f"{counts[phrase.text]:6} {phrase.text}" for phrase in phrases))
        return 0
    if chosen.since:
        findings = since(chosen.repository, chosen.since, hits)
    elif chosen.write:
        findings = lower(chosen.repository, hits)
    else:
        findings = beyond(hits, read_baseline(chosen.repository))
        if not findings and is_known(chosen.repository, AFTER):
            findings = since(chosen.repository, AFTER, hits)
    print("\n".join(findings) if findings else "words: ok")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
