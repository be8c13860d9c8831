"""``flott new``: a project to begin with, a job and its tests."""

from __future__ import annotations

import keyword
import re
import sys
from importlib.resources import files
from pathlib import Path
from string import Template

import click

from flott import __version__
from flott.cli.output import fail

NAME = re.compile(r"[a-z][a-z0-9]*([-_][a-z0-9]+)*", re.ASCII)
LONGEST = 60
FILES: dict[str, str | None] = {
    "pyproject.toml": "pyproject.toml.txt",
    "README.md": "README.md.txt",
    ".gitignore": "gitignore.txt",
    "src/{module}/__init__.py": None,
    "src/{module}/job.py": "job.py.txt",
    "tests/test_job.py": "test_job.py.txt",
    "tests/test_job_on_spark.py": "test_job_on_spark.py.txt",
}
"""For each file of a project what it is made of."""
JOB_FILES = ("src/{module}/job.py", "tests/test_job.py", "tests/test_job_on_spark.py")
"""Those that each template has of its own."""
MORE_FILES = {
    "datastream": {},
    "sql": {"src/{module}/visits.csv": "visits.csv.txt"},
    "pyflink": {"tests/conftest.py": "conftest.py.txt"},
}
"""What else there is in the projects of a template."""
RUN_OPTIONS = {"pyflink": " --pyflink"}
TAKEN = {"flott", "pyspark", "pyflink", "pytest", "tests"}


@click.command()
@click.argument("name")
@click.option(
    "--into",
    type=click.Path(exists=True, file_okay=False, writable=True, path_type=Path),
    default=".",
    help="The directory in which the project's own is made; by default this one.",
)
@click.option(
    "-t",
    "--template",
    type=click.Choice(list(MORE_FILES)),
    default="datastream",
    show_default=True,
    help="A window over a stream, the same as a query, or as a program for PyFlink.",
)
def new(name: str, into: Path, template: str) -> None:
    r"""Write a project called NAME: a job, a test of it without Spark, and one with Spark.

    \b
    flott new clicks
    flott new --template sql clicks
    cd clicks && pytest
    """
    problem = problem_with(name)
    if problem is not None:
        raise click.BadParameter(problem, param_hint="NAME")
    target = into / name
    try:
        target.mkdir()
    except FileExistsError:
        fail(f"there is a '{target}' already; choose another name, or remove it")
    except OSError as error:
        fail(f"'{target}' could not be made: {error.strerror}")
    for path, text in project(name, template).items():
        file = target / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        click.echo(file)
    module, option = module_of(name), RUN_OPTIONS.get(template, "")
    click.echo(f"\nNext:  cd {target} && pip install -e '.[dev]' && pytest && flott run{option} src/{module}/job.py")


def problem_with(name: str) -> str | None:
    """Say what is wrong with the name of a project, if anything is; it becomes a directory and a module.

    >>> problem_with("clicks-per-day")
    >>> problem_with("../clicks")
    "'../clicks' is no name for a project: lower-case letters, digits, - and _, such as clicks-per-day"
    >>> problem_with("json")
    "'json' is the name of another module, which the project would hide; choose another name"
    """
    if len(name) > LONGEST or not NAME.fullmatch(name):
        return (
            f"{name[:LONGEST]!r} is no name for a project: lower-case letters, digits, - and _, such as clicks-per-day"
        )
    module = module_of(name)
    if keyword.iskeyword(module):
        return f"'{name}' is a word of Python's own, and no module can be called so; choose another name"
    if module in sys.stdlib_module_names or module in TAKEN:
        return f"'{name}' is the name of another module, which the project would hide; choose another name"
    return None


def module_of(name: str) -> str:
    """Return what the project's package is called.

    >>> module_of("clicks-per-day")
    'clicks_per_day'
    """
    return name.replace("-", "_")


def files_of(template: str) -> dict[str, str | None]:
    """Return what each file of a template's projects is made of.

    >>> files_of("sql")["src/{module}/job.py"], files_of("datastream")["src/{module}/job.py"]
    ('sql/job.py.txt', 'job.py.txt')
    """
    if template == "datastream":
        return FILES
    own = {path: f"{template}/{FILES[path]}" for path in JOB_FILES}
    more = {path: f"{template}/{source}" for path, source in MORE_FILES[template].items()}
    return {**FILES, **own, **more}


def project(name: str, template: str = "datastream") -> dict[str, str]:
    """Return the files of a project, by their paths in it."""
    option = RUN_OPTIONS.get(template, "")
    words = {"name": name, "module": module_of(name), "version": __version__, "option": option}
    skeleton = files("flott.cli") / "skeleton"
    return {
        path.format(**words): (
            "" if source is None else Template((skeleton / source).read_text(encoding="utf-8")).substitute(words)
        )
        for path, source in files_of(template).items()
    }
