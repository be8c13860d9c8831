"""What the engines are compared in: each scenario with its programs, one per engine."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product


@dataclass(frozen=True)
class Contender:
    """A program on an engine, and with how many records it is run: a short and a long time."""

    title: str
    engine: str
    """flott, pyflink or spark: the environment it runs in."""
    program: str
    arguments: tuple[str, ...]
    sizes: tuple[int, int]


@dataclass(frozen=True)
class Scenario:
    """The same work on several engines."""

    name: str
    contenders: tuple[Contender, ...]
    targets: dict[str, float]
    """How many times as fast Flott should be as some of them."""


STRUCTURED = "structured_streaming.py"
FEW = 1_000
PLAIN_LOOP = "plain loop"
"""No engine, one core: what counts is processor time, of which Flott should take at most three times as much."""


def stateless() -> Scenario:
    return Scenario(
        "stateless",
        (
            Contender("flott", "flott", "stateless.py", (), (4_000_000, 24_000_000)),
            Contender("pyflink thread", "pyflink", "stateless.py", (), (200_000, 1_400_000)),
            Contender("spark native", "spark", STRUCTURED, ("--work", "stateless", "--batch", "2000000"),
                      (10_000_000, 60_000_000)),
        ),
        {"pyflink thread": 30},
    )  # fmt: skip


def keyed_count(keys: int) -> Scenario:
    size = ("--keys", str(keys))
    stateful = (*size, "--work", "keyed-count", "--batch", "100000")
    return Scenario(
        f"keyed count, {keys:,} keys",
        (
            Contender("flott", "flott", "keyed_count.py", size, (4_000_000, 28_000_000)),
            Contender(PLAIN_LOOP, "flott", "plain_loop.py", size, (4_000_000, 24_000_000)),
            Contender("pyflink thread", "pyflink", "keyed_count.py", size, (50_000, 350_000)),
            # With many keys it is too slow for more.
            Contender("spark transformWithState", "spark", STRUCTURED, stateful,
                      (200_000, 800_000) if keys <= FEW else (100_000, 250_000)),
        ),
        {"pyflink thread": 30, "spark transformWithState": 10},
    )  # fmt: skip


def window_functions(window: str, keys: int) -> Scenario:
    same = ("--way", "function", "--window", window, "--keys", str(keys), "--rate", "100000")
    return Scenario(
        f"{window} windows, Python functions, {keys:,} keys",
        (
            Contender("flott", "flott", "windows.py", same, (1_000_000, 5_000_000)),
            Contender("pyflink thread", "pyflink", "windows.py", same, (20_000, 80_000)),
        ),
        {"pyflink thread": 30},
    )


def window_aggregates(window: str, keys: int) -> Scenario:
    same = ("--window", window, "--keys", str(keys), "--rate", "1000000", "--way", "built-in")
    native = ("--work", window, "--keys", str(keys), "--batch", "1000000")
    sizes = (4_000_000, 14_000_000) if keys <= FEW else (1_000_000, 2_000_000)
    if window == "sliding" and keys > FEW:  # where it keeps most
        sizes = (250_000, 750_000)
    # Sessions of many keys are where Flink SQL is slowest.
    peer = (200_000, 1_000_000) if window == "session" and keys > FEW else (2_000_000, 12_000_000)
    return Scenario(
        f"{window} windows, built-in aggregates, {keys:,} keys",
        (
            Contender("flott", "flott", "windows.py", same, (10_000_000, 60_000_000)),
            Contender("flink sql", "pyflink", "windows.py", same, peer),
            Contender("spark native", "spark", STRUCTURED, native, sizes),
        ),
        {"flink sql": 2 if keys <= FEW else 5},
    )  # fmt: skip


def join() -> Scenario:
    return Scenario(
        "join of two streams",
        (
            Contender("flott", "flott", "join.py", (), (2_000_000, 8_000_000)),
            Contender("pyflink thread", "pyflink", "join.py", (), (50_000, 250_000)),
        ),
        {"pyflink thread": 30},
    )


def patterns() -> Scenario:
    cards = ("--keys", "100000")
    return Scenario(
        "pattern (CEP), 100,000 keys",
        (
            Contender("flott", "flott", "cep.py", (*cards, "--way", "function"), (1_000_000, 7_000_000)),
            Contender("flott, columns", "flott", "cep.py", (*cards, "--way", "columns"), (2_000_000, 14_000_000)),
            Contender("flink sql", "pyflink", "cep.py", cards, (1_000_000, 7_000_000)),
        ),
        {},
    )


KEYS, WINDOWS = (1_000, 200_000), ("tumbling", "sliding", "session")
SCENARIOS = (
    stateless(),
    *(keyed_count(keys) for keys in KEYS),
    *(window_functions(window, keys) for window, keys in product(WINDOWS, KEYS)),
    *(window_aggregates(window, keys) for window, keys in product(WINDOWS, KEYS)),
    join(),
    patterns(),
)

GROWTH = {
    "keys": [
        (f"{keys:,}", Contender("flott", "flott", "keyed_count.py", ("--keys", str(keys)), (2 * many, 6 * many)))
        for keys in (1_000, 10_000, 100_000, 1_000_000, 5_000_000)
        for many in (max(4_000_000, keys),)
    ],
    "exchanges": [
        (str(number), Contender("flott", "flott", "stateless.py", ("--exchanges", str(number)),
                                (4_000_000, 16_000_000)))
        for number in (0, 1, 2, 3, 4, 5, 6)
    ],
    "state": [
        (title, Contender("flott", "flott", "keyed_count.py", ("--keys", str(keys), "--bytes", "200"),
                          (2 * many, 4 * many)))
        for title, keys in (("1 MB", 5_000), ("10 MB", 50_000), ("100 MB", 500_000), ("1 GB", 5_000_000),
                            ("5 GB", 25_000_000))
        for many in (max(2_000_000, keys),)
    ],
    "subtasks": [
        (str(number), Contender("flott", "flott", "keyed_count.py", ("--keys", "1000", "--parallelism", str(number)),
                                (2_000_000, 8_000_000)))
        for number in (1, 2, 4, 8, 16)
    ],
}  # fmt: skip
"""What one thing more of a kind costs: cost per record, on Flott alone."""
