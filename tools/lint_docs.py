"""Checks that every public name of flott.common and flott.datastream is documented.

Run it with `make lint`, or `python tools/lint_docs.py [repository]`. A module is public if no part
of its path starts with an underscore; a class, function or method likewise by its name. A method
needs no words of its own if it overrides a documented one. It reads the source, never imports it.
"""

from __future__ import annotations

import ast
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

PUBLIC_PACKAGES = ("common", "datastream")

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
Classes: TypeAlias = dict[str, list[ast.ClassDef]]


@dataclass(frozen=True, slots=True)
class Module:
    """One file and its syntax tree."""

    path: Path
    tree: ast.Module

    @property
    def public(self) -> bool:
        """Whether users import it."""
        parts = self.path.with_suffix("").parts
        return not any(part.startswith("_") and part != "__init__" for part in parts)


def lint(repository: Path) -> list[str]:
    """Returns one line for every public name without a docstring."""
    root = repository / "src" / "flott"
    modules = [_read(path, repository) for path in sorted(root.rglob("*.py"))]
    classes = _classes_by_name(modules)
    return [
        f"{module.path}:{line}: docs: {name} has no docstring; say in one sentence what it is to a user."
        for module in modules
        if module.public and module.path.parts[2] in PUBLIC_PACKAGES
        for name, line in undocumented(module.tree, classes)
    ]


def undocumented(tree: ast.Module, classes: Classes) -> Iterator[tuple[str, int]]:
    """Yields name and line of each public name of a module that has no docstring."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and _is_public(node.name):
            yield from _undocumented_in_class(node, node.name, classes)
        elif isinstance(node, Function) and _needs_docstring(node):
            yield f"function {node.name}", node.lineno


def _undocumented_in_class(node: ast.ClassDef, name: str, classes: Classes) -> Iterator[tuple[str, int]]:
    if not ast.get_docstring(node):
        yield f"class {name}", node.lineno
    for member in node.body:
        if isinstance(member, ast.ClassDef) and _is_public(member.name):
            yield from _undocumented_in_class(member, f"{name}.{member.name}", classes)
        elif (
            isinstance(member, Function)
            and _needs_docstring(member)
            and not _inherits_docstring(node, member.name, classes)
        ):
            yield f"method {name}.{member.name}", member.lineno


def _needs_docstring(node: Function) -> bool:
    return (
        _is_public(node.name)
        and not ast.get_docstring(node)
        and not any(_is_second_signature(decorator) for decorator in node.decorator_list)
    )


def _is_second_signature(decorator: ast.expr) -> bool:
    """Whether the decorator marks a signature whose words stand elsewhere."""
    name = ast.unparse(decorator).rpartition(".")[2]
    return name in {"overload", "override", "setter", "deleter"}


def _inherits_docstring(node: ast.ClassDef, method: str, classes: Classes) -> bool:
    pending, seen = [node], {id(node)}
    while pending:
        for base in _bases(pending.pop(), classes):
            if id(base) in seen:
                continue
            seen.add(id(base))
            pending.append(base)
            if method in _documented_methods(base):
                return True
    return False


def _documented_methods(node: ast.ClassDef) -> set[str]:
    return {member.name for member in node.body if isinstance(member, Function) and ast.get_docstring(member)}


def _bases(node: ast.ClassDef, classes: Classes) -> Iterator[ast.ClassDef]:
    for base in node.bases:
        # Generic[T] and Base[T] name their class before the bracket.
        owner = base.value if isinstance(base, ast.Subscript) else base
        yield from classes.get(ast.unparse(owner).rpartition(".")[2], ())


def _classes_by_name(modules: Iterable[Module]) -> Classes:
    classes: Classes = {}
    for module in modules:
        for node in ast.walk(module.tree):
            if isinstance(node, ast.ClassDef):
                classes.setdefault(node.name, []).append(node)
    return classes


def _is_public(name: str) -> bool:
    return not name.startswith("_")


def _read(path: Path, repository: Path) -> Module:
    relative = path.relative_to(repository)
    return Module(relative, ast.parse(path.read_text(encoding="utf-8"), filename=str(relative)))


def main(arguments: list[str]) -> int:
    """Prints the findings; returns the exit code."""
    repository = Path(arguments[0]) if arguments else Path(__file__).resolve().parent.parent
    if not (repository / "src" / "flott").is_dir():
        print(f"{repository} has no src/flott: nothing to check", file=sys.stderr)
        return 2
    findings = lint(repository)
    print("\n".join(findings) if findings else "docs: ok")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
