"""``flott state``: looks into the state of a job, running or stopped."""

from __future__ import annotations

import json
import sys
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from flott.cli.output import AS_JSON, show
from flott.errors import FlottError
from flott.state_processor import OperatorIdentifier, SavepointReader

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flott.state_processor import StateFrame

PATH = click.argument("path")
OPERATOR = click.argument("operator")
STATE = click.argument("name", metavar="STATE")


@click.group()
def state() -> None:
    r"""Look into the state of a job.

    PATH is a savepoint, a checkpoint (chk-<n>) or a directory of checkpoints, whose newest complete one is read; the
    job may be running. OPERATOR is a uid, the id of an operator or its name.

    \b
    flott state ls /data/checkpoints
    flott state get /data/checkpoints customers total ann
    flott state scan /data/savepoints/savepoint-1 customers total --limit 10
    """
    # Objects in state are of classes that are found where the job is started.
    if str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))


@state.command()
@PATH
@click.argument("operator", required=False)
@AS_JSON
def ls(path: str, operator: str | None, *, as_json: bool) -> None:
    """List the operators of PATH and their states, or those of one OPERATOR."""
    with errors():
        reader = SavepointReader.read(path)
        frame = reader.list_states(None if operator is None else found_operator(reader, operator))
        if as_json:
            show(frame.columns, frame, as_json=True)
            return
        names = {row[1]: row[2] for row in reader.list_operators()}
        rows = [
            (uid or operator_id, names[operator_id], name, kind, "" if not schema else json.loads(schema))
            for uid, operator_id, name, kind, schema in frame
        ]
        show(("operator", "name", "state", "kind", "type"), rows, as_json=False)


@state.command()
@PATH
@OPERATOR
@STATE
@click.argument("key")
@AS_JSON
def get(path: str, operator: str, name: str, key: str, *, as_json: bool) -> None:
    """Show what STATE of OPERATOR holds for KEY.

    KEY is JSON (7, "ann", ["ann", 7] for a tuple); text without quotes is text.
    """
    with errors():
        reader = SavepointReader.read(path)
        identifier = found_operator(reader, operator)
        for candidate in meanings(key):
            frame = reader.read_state_of_key(identifier, name, candidate)
            rows = list(frame)
            if rows:
                show(frame.columns, rows, as_json=as_json)
                return
        message = f"state '{name}' of '{operator}' holds nothing for the key {key}"
        raise click.ClickException(message)


@state.command()
@PATH
@OPERATOR
@STATE
@click.option("-n", "--limit", type=int, default=None, help="Show only so many rows.")
@AS_JSON
def scan(path: str, operator: str, name: str, limit: int | None, *, as_json: bool) -> None:
    """Show all of STATE of OPERATOR; the state "timers" are its timers."""
    with errors():
        reader = SavepointReader.read(path)
        frame: StateFrame = reader.read_state(found_operator(reader, operator), name)
        show(frame.columns, islice(frame, limit), as_json=as_json)


@contextmanager
def errors() -> Iterator[None]:
    """Turn what goes wrong into a message for people."""
    try:
        yield
    except FlottError as error:
        raise click.ClickException(str(error)) from error
    except (ImportError, AttributeError) as error:
        message = f"an object in the state can't be read ({error}): start flott where the job's modules are found"
        raise click.ClickException(message) from error


def found_operator(reader: SavepointReader, text: str) -> OperatorIdentifier:
    """Return the operator that is meant: by uid, by id or the beginning of it, or by name."""
    operators = list(reader.list_operators())
    for uid, operator_id, _, *_ in operators:
        if text in (uid, operator_id):
            return OperatorIdentifier(operator_id, uid)
    matching = [row for row in operators if row[2] == text] or [row for row in operators if row[1].startswith(text)]
    if len(matching) > 1:
        ids = ", ".join(row[0] or row[1] for row in matching)
        message = f"'{text}' may be several operators; name one of them: {ids}"
        raise click.ClickException(message)
    if matching:
        return OperatorIdentifier(matching[0][1], matching[0][0])
    # Its message says which operators there are.
    return OperatorIdentifier.for_uid(text)


def meanings(text: str) -> list[Any]:
    """Return what a key on the command line may mean, the likeliest first.

    >>> meanings("7"), meanings("ann"), meanings('["ann", 7]')
    ([7, '7'], ['ann'], [('ann', 7), '["ann", 7]'])
    """
    try:
        value = json.loads(text)
    except ValueError:
        return [text]
    return [as_key(value), text] if as_key(value) != text else [text]


def as_key(value: Any) -> Any:
    """Return JSON as a key: arrays are tuples."""
    return tuple(map(as_key, value)) if isinstance(value, list) else value
