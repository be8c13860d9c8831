"""Reads a Python file without running it: what it imports, where, and which names it uses."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

DYNAMIC_IMPORTS = frozenset({"importlib.import_module", "__import__"})


@dataclass(frozen=True, slots=True)
class Import:
    """One imported module; `lazy` if the import stands inside a function."""

    module: str
    line: int
    lazy: bool


@dataclass(frozen=True, slots=True)
class Source:
    """One file of the package, with its dotted module name."""

    path: str
    module: str
    lines: int
    imports: tuple[Import, ...]
    names: tuple[tuple[str, int], ...]
    """Every name it imports or reaches through an import, fully dotted, with its line."""

    @property
    def package(self) -> str:
        """The room of the house it belongs to: `runtime` for `flott.runtime.windowing.valve`."""
        _, _, rest = self.module.partition(".")
        return rest.partition(".")[0]

    def finding(self, line: int, rule: str, message: str) -> str:
        """Returns a finding the way compilers print them, so that editors can jump to it."""
        return f"{self.path}:{line}: {rule}: {message}"


def read_source(path: Path, repository: Path) -> Source:
    """Reads one file of a repository whose packages lie in `src`."""
    relative = path.relative_to(repository)
    module, is_package = _module_name(relative)
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text, filename=str(relative))
    reader = _Reader(module if is_package else module.rpartition(".")[0])
    reader.visit(tree)
    return Source(
        path=str(relative),
        module=module,
        lines=len(text.splitlines()),
        imports=tuple(reader.imports),
        names=tuple(_longest(_names(tree, reader))),
    )


def _module_name(relative: Path) -> tuple[str, bool]:
    parts = list(relative.with_suffix("").parts)
    if parts[0] == "src":
        del parts[0]
    is_package = parts[-1] == "__init__"
    return ".".join(parts[:-1] if is_package else parts), is_package


class _Reader(ast.NodeVisitor):
    """Collects imports, and what each local name stands for (`np` for `numpy`)."""

    def __init__(self, package: str) -> None:
        self.imports: list[Import] = []
        self.imported_names: list[tuple[str, int]] = []
        self.aliases: dict[str, str] = {}
        self._package = package
        self._depth = 0

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._visit_function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._visit_function(node)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._visit_function(node)

    def _visit_function(self, node: ast.AST) -> None:
        self._depth += 1
        self.generic_visit(node)
        self._depth -= 1

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            self._add(alias.name, node.lineno)
            self.imported_names.append((alias.name, node.lineno))
            if alias.asname:
                self.aliases[alias.asname] = alias.name
            else:
                top = alias.name.partition(".")[0]
                self.aliases[top] = top

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        base = self._absolute(node)
        for alias in node.names:
            name = f"{base}.{alias.name}"
            # `from flott import graph` imports flott.graph, `from flott.graph import X` the same.
            self._add(name if base == "flott" and alias.name != "*" else base, node.lineno)
            self.imported_names.append((name, node.lineno))
            self.aliases[alias.asname or alias.name] = name

    def visit_Call(self, node: ast.Call) -> None:
        function = dotted(node.func, self.aliases)
        if function in DYNAMIC_IMPORTS and node.args:
            module = node.args[0]
            if isinstance(module, ast.Constant) and isinstance(module.value, str):
                self._add(module.value, node.lineno)
                self.imported_names.append((module.value, node.lineno))
        self.generic_visit(node)

    def _add(self, module: str, line: int) -> None:
        self.imports.append(Import(module, line, lazy=self._depth > 0))

    def _absolute(self, node: ast.ImportFrom) -> str:
        if node.level == 0:
            return node.module or ""
        parents = self._package.split(".")
        base = ".".join(parents[: len(parents) - node.level + 1])
        return f"{base}.{node.module}" if node.module else base


def dotted(node: ast.expr, aliases: dict[str, str]) -> str | None:
    """Returns the full name of `np.random.rand`, or None for what is not a chain of names."""
    if isinstance(node, ast.Name):
        return aliases.get(node.id, node.id if node.id == "__import__" else None)
    if isinstance(node, ast.Attribute):
        owner = dotted(node.value, aliases)
        return f"{owner}.{node.attr}" if owner else None
    return None


def _names(tree: ast.Module, reader: _Reader) -> Iterator[tuple[str, int]]:
    yield from reader.imported_names
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            name = dotted(node, reader.aliases)
            if name:
                yield name, node.lineno


def _longest(names: Iterator[tuple[str, int]]) -> Iterator[tuple[str, int]]:
    """One finding for a chain is enough: drops `a.b` where `a.b.c` stands on the same line."""
    by_line = sorted(set(names), key=itemgetter(1, 0))
    for line, group in groupby(by_line, key=itemgetter(1)):
        found = [name for name, _ in group]
        for name in found:
            if not any(other.startswith(f"{name}.") for other in found):
                yield name, line
