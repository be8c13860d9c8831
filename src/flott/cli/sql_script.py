"""Cuts a text into SQL statements."""

from __future__ import annotations

import re
from dataclasses import dataclass

TOKEN = re.compile(
    r"""(?P<skip>--[^\n]*|/\*.*?(?:\*/|\Z)|'(?:[^']|'')*(?:'|\Z)|`(?:[^`]|``)*(?:`|\Z)|"[^"]*(?:"|\Z))|(?P<word>[A-Za-z_]\w*)|(?P<end>;)""",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement, with as many lines and blanks before it as stand before it in the text.

    So that the line and the column of a mistake are those of the text.
    """

    text: str
    finished: bool
    """Whether a semicolon ends it."""

    @property
    def bare(self) -> str:
        """The statement without anything around it."""
        return self.text.strip()


def statements_of(text: str) -> list[Statement]:
    r"""Return the statements of a text; semicolons in quotes, comments and statement sets end none.

    >>> [one.bare for one in statements_of("SELECT ';'; -- one;\nBEGIN STATEMENT SET; INSERT INTO a SELECT 1; END; x")]
    ["SELECT ';'", '-- one;\nBEGIN STATEMENT SET; INSERT INTO a SELECT 1; END', 'x']
    """
    found: list[Statement] = []
    start, words = 0, ""
    in_set = False
    for token in TOKEN.finditer(text):
        if token["word"]:
            word = token["word"].upper()
            if word == "END" and in_set and words.endswith(";"):
                in_set = False
            words += f" {word}"
            in_set = in_set or words.strip() in {"BEGIN STATEMENT SET", "EXECUTE STATEMENT SET BEGIN"}
        elif token["end"]:
            words += ";"
            if in_set:
                continue
            found.append(Statement(_padded(text, start, token.start()), finished=True))
            start, words = token.end(), ""
    found.append(Statement(_padded(text, start, len(text)), finished=False))
    return [one for one in found if _says_something(one.text)]


def _padded(text: str, start: int, end: int) -> str:
    before = text[:start]
    return "\n" * before.count("\n") + " " * (start - before.rfind("\n") - 1) + text[start:end]


def _says_something(text: str) -> bool:
    return bool(re.sub(r"--[^\n]*|/\*.*?\*/", "", text, flags=re.DOTALL).strip())
