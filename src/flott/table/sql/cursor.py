"""Reads the tokens of a statement one after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot.tokenizer_core import TokenType

from flott.table.errors import SqlParserError
from flott.table.sql.dialect import closing, tokenize

if TYPE_CHECKING:
    from sqlglot.tokenizer_core import Token


class Cursor:
    """A place among tokens.

    >>> cursor = Cursor("DROP TABLE IF EXISTS a.b")
    >>> cursor.expect("DROP").expect("TABLE").accept("IF", "EXISTS"), cursor.path(), cursor.at_end()
    (True, ('a', 'b'), True)
    """

    def __init__(self, text: str, tokens: list[Token] | None = None) -> None:
        self.text = text
        self.tokens = tokenize(text) if tokens is None else tokens
        self.position = 0

    def at_end(self) -> bool:
        """Say whether nothing is left."""
        return self.position >= len(self.tokens)

    def peek(self, ahead: int = 0) -> str:
        """Return the text of a token that is still to come, in capital letters; nothing at the end."""
        place = self.position + ahead
        return self.tokens[place].text.upper() if place < len(self.tokens) else ""

    def offset(self) -> int:
        """Return where in the text the next token stands."""
        return len(self.text) if self.at_end() else self.tokens[self.position].start

    def accept(self, *words: str) -> bool:
        """Go past some words if they come next; a token may hold several of them, such as PRIMARY KEY."""
        left = list(words)
        place = self.position
        while left:
            held = self._words(place)
            if not held or left[: len(held)] != held:
                return False
            left = left[len(held) :]
            place += 1
        self.position = place
        return True

    def _words(self, place: int) -> list[str]:
        if place >= len(self.tokens) or self.tokens[place].token_type in {TokenType.STRING, TokenType.IDENTIFIER}:
            return []
        return self.tokens[place].text.upper().split()

    def expect(self, *words: str) -> Cursor:
        """Go past words that must come next."""
        if not self.accept(*words):
            found = f"'{self.tokens[self.position].text}'" if not self.at_end() else "the end"
            raise SqlParserError(f"{' '.join(words)} is wanted here, found {found}", self.text, self.offset())
        return self

    def name(self) -> str:
        """Take a name."""
        if self.at_end() or self.tokens[self.position].token_type in {TokenType.STRING, TokenType.NUMBER}:
            raise SqlParserError("a name is wanted here", self.text, self.offset())
        token = self.tokens[self.position]
        if not (token.text.replace("_", "").isalnum() or token.token_type is TokenType.IDENTIFIER):
            raise SqlParserError(f"a name is wanted here, found '{token.text}'", self.text, self.offset())
        self.position += 1
        return token.text

    def path(self) -> tuple[str, ...]:
        """Take a name of one to three parts."""
        parts = [self.name()]
        while self.accept("."):
            parts.append(self.name())
        return tuple(parts)

    def names(self) -> tuple[str, ...]:
        """Take names in brackets."""
        self.expect("(")
        found = [self.name()]
        while self.accept(","):
            found.append(self.name())
        self.expect(")")
        return tuple(found)

    def string(self) -> str:
        """Take a text in quotes."""
        if self.at_end() or self.tokens[self.position].token_type is not TokenType.STRING:
            raise SqlParserError("a text in single quotes is wanted here", self.text, self.offset())
        self.position += 1
        return self.tokens[self.position - 1].text

    def number(self) -> int:
        """Take a whole number."""
        if self.at_end() or not self.tokens[self.position].text.isdigit():
            raise SqlParserError("a whole number is wanted here", self.text, self.offset())
        self.position += 1
        return int(self.tokens[self.position - 1].text)

    def options(self) -> dict[str, str]:
        """Take ``('key' = 'value', …)``."""
        self.expect("(")
        found: dict[str, str] = {}
        while not self.accept(")"):
            key = self.string()
            self.expect("=")
            found[key] = self.string()
            if not self.accept(","):
                self.expect(")")
                break
        return found

    def until(self, *stops: str) -> list[Token]:
        """Take tokens up to one of some words, or to the end; what stands in brackets is not looked at."""
        start = self.position
        while not self.at_end() and not any(self._words(self.position) == [stop] for stop in stops):
            token = self.tokens[self.position]
            if token.token_type is TokenType.L_PAREN:
                self.position = closing(self.tokens, self.position)
            self.position += 1
        return self.tokens[start : self.position]

    def rest(self) -> list[Token]:
        """Take all that is left."""
        start, self.position = self.position, len(self.tokens)
        return self.tokens[start:]

    def end(self) -> None:
        """Make sure that nothing is left."""
        if not self.at_end():
            found = self.tokens[self.position].text
            raise SqlParserError(f"the statement should end here, found '{found}'", self.text, self.offset())
