from __future__ import annotations

from textwrap import dedent

import pytest

from lint_docs import lint, main


@pytest.fixture
def findings_of(tmp_path):
    """Writes one module into an empty repository and lints it."""

    def write_and_lint(text, module="datastream/window"):
        path = tmp_path / "src" / "flott" / f"{module}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text), encoding="utf-8")
        return lint(tmp_path)

    return write_and_lint


def test_a_class_a_method_and_a_function_without_docstring_are_found(findings_of):
    findings = findings_of(
        """
        class Window:
            def size(self): ...

        def tumbling(): ...

        async def sliding(): ...
        """
    )
    assert [line.partition(";")[0] for line in findings] == [
        "src/flott/datastream/window.py:2: docs: class Window has no docstring",
        "src/flott/datastream/window.py:3: docs: method Window.size has no docstring",
        "src/flott/datastream/window.py:5: docs: function tumbling has no docstring",
        "src/flott/datastream/window.py:7: docs: function sliding has no docstring",
    ]


def test_documented_names_are_fine(findings_of):
    assert not findings_of(
        '''
        class Window:
            """A slice of time."""

            def size(self):
                """Its length in milliseconds."""

            class Builder:
                """Builds one."""

        def tumbling():
            """Cuts time."""
        '''
    )


def test_an_empty_docstring_is_none(findings_of):
    (finding,) = findings_of('def tumbling():\n    """ """\n')
    assert "function tumbling" in finding


def test_private_names_and_special_methods_need_none(findings_of):
    assert not findings_of(
        '''
        class Window:
            """A slice of time."""

            def __init__(self): ...
            def _cut(self): ...

        class _Pane:
            def size(self): ...

        def _tumbling(): ...
        '''
    )


def test_nested_classes_are_public_too(findings_of):
    (finding,) = findings_of('class A:\n    """A."""\n    class B: ...\n')
    assert "class A.B has no docstring" in finding


@pytest.mark.parametrize("decorator", ["overload", "typing.overload", "override", "size.setter"])
def test_a_second_signature_needs_no_docstring(findings_of, decorator):
    assert not findings_of(
        f'''
        class Window:
            """A slice of time."""

            @{decorator}
            def size(self): ...
        '''
    )


def test_an_override_of_a_documented_method_needs_no_docstring(findings_of):
    findings_of(
        '''
        class Assigner:
            """Assigns."""

            def assign(self):
                """Returns the windows of an element."""

            def reset(self): ...
        ''',
        module="runtime/assigner",
    )
    findings = findings_of(
        '''
        class Middle(base.Assigner[int]):
            """Assigns more."""

        class Tumbling(Middle, Generic[T]):
            """Assigns one."""

            def assign(self): ...
            def reset(self): ...
        '''
    )
    assert [line.partition(";")[0].rpartition(": ")[2] for line in findings] == [
        "method Tumbling.reset has no docstring"
    ]


def test_classes_that_inherit_in_a_circle_do_not_hang_it(findings_of):
    text = 'class A(B):\n    """A."""\n    def f(self): ...\nclass B(A):\n    """B."""\n'
    assert len(findings_of(text)) == 1


@pytest.mark.parametrize(
    ("module", "count"),
    [
        ("common/row", 1),
        ("datastream/__init__", 1),
        ("datastream/connectors/file", 1),
        ("datastream/_engine", 0),
        ("datastream/_engine/loop", 0),
        ("runtime/valve", 0),
        ("errors", 0),
    ],
)
def test_only_public_modules_of_the_public_packages_count(findings_of, module, count):
    assert len(findings_of("def f(): ...", module=module)) == count


def test_the_command_prints_findings_and_fails(findings_of, tmp_path, capsys):
    findings = findings_of("def f(): ...")
    assert main([str(tmp_path)]) == 1
    assert capsys.readouterr().out.splitlines() == findings


def test_the_command_passes_when_all_is_documented(findings_of, tmp_path, capsys):
    findings_of("x = 1")
    assert main([str(tmp_path)]) == 0
    assert capsys.readouterr().out == "docs: ok\n"


def test_the_command_refuses_a_folder_that_is_no_repository(tmp_path, capsys):
    assert main([str(tmp_path)]) == 2
    assert "has no src/flott" in capsys.readouterr().err
