"""The kinds of keyed state: the one table that operators, restores, the state processor and the command line read."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Form(Enum):
    """What an entry of a state holds, and what its address is made of, behind ``key group (2) | column (4)``."""

    VALUES = "key length (2) | key: the value"
    LISTS = "key length (2) | key | number: a chunk of elements"
    ROW_LISTS = "key length (2) | key | number: a chunk of rows; the first entry holds the end of the list"
    MAPS = "key length (2) | key | map key: the pair of map key and value"
    BUFFERS = "key length (2) | key | time: what is kept for that time"
    SESSIONS = "key length (2) | key: the open sessions of the key"
    TIMERS = "time (8) | key length (2) | key: a timer"
    MOMENTS = "time (8): the keys of timers, by namespace"
    EVENTS = "time (8): events by key"
    PANES = "time (8): partial results of a pane by key, in columns"
    OWN = "a form that only the operator reads"


BY_KEY = frozenset({Form.VALUES, Form.LISTS, Form.ROW_LISTS, Form.MAPS, Form.BUFFERS, Form.SESSIONS})
"""Forms whose addresses hold the key directly behind the column."""


@dataclass(frozen=True, slots=True)
class StateKind:
    """A kind of state. Its name is what savepoints and error messages say."""

    name: str
    form: Form
    of_users: bool = False
    """Functions ask for it, perhaps late; states of other kinds are asked for when an operator is opened."""
    same_as: str = ""
    """Another kind whose entries are the same: an operator may restore one as the other."""

    def restores(self, stored: str) -> bool:
        """Return whether what was saved as the kind of that name can be restored as this kind.

        >>> LIST_STATE.restores("lists of records"), LIST_STATE.restores("map state")
        (True, False)
        """
        return stored in {self.name, self.same_as}


VALUE_STATE = StateKind("value state", Form.VALUES, of_users=True)
LIST_STATE = StateKind("list state", Form.LISTS, of_users=True, same_as="lists of records")
MAP_STATE = StateKind("map state", Form.MAPS, of_users=True)
REDUCING_STATE = StateKind("reducing state", Form.VALUES, of_users=True)
AGGREGATING_STATE = StateKind("aggregating state", Form.VALUES, of_users=True)

TIMERS = StateKind("timers", Form.TIMERS)
TIMERS_BY_MOMENT = StateKind("timers by moment", Form.MOMENTS)

ACCUMULATORS = StateKind("accumulators", Form.VALUES)
LISTS_OF_RECORDS = StateKind("lists of records", Form.LISTS, same_as="list state")
SESSIONS = StateKind("sessions", Form.SESSIONS)
PANES = StateKind("panes", Form.PANES)

TIME_BUFFER = StateKind("time buffer", Form.BUFFERS)
EVENTS = StateKind("events", Form.EVENTS)
RUNS = StateKind("runs", Form.VALUES)
GATHERED_INPUT = StateKind("gathered input", Form.OWN)

GROUP_SUMS = StateKind("sums of groups", Form.VALUES)
ROW_LISTS = StateKind("row lists", Form.ROW_LISTS)
PENDING_ROWS = StateKind("pending rows", Form.MAPS)

INTERNAL = StateKind("internal", Form.OWN)
"""Of states that are not declared."""

KINDS = {
    kind.name: kind
    for kind in (
        VALUE_STATE, LIST_STATE, MAP_STATE, REDUCING_STATE, AGGREGATING_STATE, TIMERS, TIMERS_BY_MOMENT, ACCUMULATORS,
        LISTS_OF_RECORDS, SESSIONS, PANES, TIME_BUFFER, EVENTS, RUNS, GATHERED_INPUT, GROUP_SUMS, ROW_LISTS,
        PENDING_ROWS,
    )
}  # fmt: skip

COLUMNAR_SESSIONS = "window-sessions"
"""This state is saved as sessions too, in columns."""


def form_of(state: str, kind: str) -> Form:
    """Return the form of the entries of a saved state; what nobody knows is its operator's own.

    >>> form_of("count", "value state"), form_of("waiting", "kept by a version to come")
    (<Form.VALUES: 'key length (2) | key: the value'>, <Form.OWN: 'a form that only the operator reads'>)
    """
    known = KINDS.get(kind, INTERNAL)
    return Form.OWN if state == COLUMNAR_SESSIONS and known is SESSIONS else known.form
