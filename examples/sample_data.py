"""The data of the examples: made by seeded generators, so that every run sees the same.

Times are milliseconds since 1970 and begin on 1 January 2026 at 09:00. Records come in the order in which they reach
the program, which is not always the order in which things happened.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

SECOND, MINUTE, HOUR = 1_000, 60_000, 3_600_000
START = 1_767_258_000_000
"""1 January 2026, 09:00."""

WORDS = [
    "the",
    "river",
    "and",
    "boat",
    "afloat",
    "swift",
    "water",
    "stone",
    "bridge",
    "lock",
    "harbour",
    "tide",
    "rope",
]
ITEMS = ["apple", "bread", "cheese", "dates", "eggs", "figs", "grapes", "honey"]
CITIES = ["Berlin", "Lagos", "Lima", "Osaka", "Pune", "Quebec"]
STEPS = ["home", "product", "cart", "payment", "thanks"]
"""The pages of a shop, in the order in which a buyer sees them."""


@dataclass(frozen=True)
class Click:
    item: str
    at: int


@dataclass(frozen=True)
class Visit:
    visitor: str
    page: str
    at: int


@dataclass(frozen=True)
class Reading:
    sensor: str
    celsius: float
    at: int


@dataclass(frozen=True)
class Order:
    number: int
    customer: int
    city: str
    item: str
    cents: int
    at: int


@dataclass(frozen=True)
class Payment:
    card: str
    kind: str
    cents: int
    at: int


@dataclass(frozen=True)
class Rule:
    """Payments of a kind above a limit are held, from a moment on and until the next rule for the kind."""

    kind: str
    limit: int
    at: int


def lines(count: int = 2_000) -> list[str]:
    """Lines of text; some words are much more frequent than others."""
    dice = random.Random(1)
    weights = [1 / place for place in range(1, len(WORDS) + 1)]
    return [" ".join(dice.choices(WORDS, weights, k=dice.randrange(3, 9))) for _ in range(count)]


def clicks(count: int = 6_000) -> list[Click]:
    """Clicks of five minutes, up to two seconds out of order; each minute has a favourite of its own."""
    dice = random.Random(2)
    made = []
    for number in range(count):
        after = 5 * MINUTE * number // count
        favourite = ITEMS[after // MINUTE * 3 % len(ITEMS)]
        item = favourite if dice.random() < 0.2 else dice.choice(ITEMS)
        made.append(Click(item, max(START, START + after - dice.randrange(2 * SECOND))))
    return made


def visits(visitors: int = 300) -> list[Visit]:
    """Visits of a day to a shop: people come once or a few times, look around, and some of them buy."""
    dice = random.Random(3)
    made = []
    for number in range(visitors):
        at = START + dice.randrange(HOUR)
        for _ in range(dice.randrange(1, 4)):
            for page in STEPS:
                made.append(Visit(f"visitor-{number}", page, at))
                at += dice.randrange(5 * SECOND, 8 * MINUTE)
                if dice.random() > 0.7:
                    break
            at += 40 * MINUTE + dice.randrange(2 * HOUR)
    made.sort(key=lambda visit: visit.at + dice.randrange(10 * SECOND))
    return made


def readings(sensors: int = 6) -> list[Reading]:
    """Half an hour of sensors that report every ten seconds; now and then one falls silent for some minutes."""
    dice = random.Random(4)
    made = []
    for number in range(sensors):
        at, celsius = START + dice.randrange(10 * SECOND), 20.0
        while at < START + 30 * MINUTE:
            celsius = round(celsius + dice.uniform(-0.5, 0.5), 1)
            made.append(Reading(f"sensor-{number}", celsius, at))
            at += 10 * SECOND + (dice.randrange(MINUTE, 6 * MINUTE) if dice.random() < 0.015 else 0)
    made.sort(key=lambda reading: reading.at)
    return made


def orders(count: int = 4_000) -> list[Order]:
    """Ten minutes of orders as they come in: most within a second, one of twenty up to four minutes late."""
    dice = random.Random(5)
    made = []
    for number in range(count):
        at = START + 10 * MINUTE * number // count
        city, item = dice.choice(CITIES), dice.choice(ITEMS)
        order = Order(number, dice.randrange(200), city, item, dice.randrange(100, 20_000), at)
        made.append((at + dice.randrange(4 * MINUTE if dice.random() < 0.05 else SECOND), order))
    made.sort(key=lambda pair: pair[0])
    return [order for _, order in made]


def payments(count: int = 5_000) -> list[Payment]:
    """Ten minutes of payments with cards, up to three seconds out of order."""
    dice = random.Random(6)
    made = []
    for number in range(count):
        at = START + 10 * MINUTE * number // count - dice.randrange(3 * SECOND)
        kind = dice.choice(["shop", "online", "cash"])
        made.append(Payment(f"card-{dice.randrange(500)}", kind, int(dice.paretovariate(1.2) * 1_000), at))
    return made


def rules() -> list[Rule]:
    """A limit for each kind of payment, and how it is changed twice in ten minutes."""
    first = [Rule("shop", 50_000, 0), Rule("online", 30_000, 0), Rule("cash", 20_000, 0)]
    return [*first, Rule("online", 10_000, START + 3 * MINUTE), Rule("cash", 40_000, START + 6 * MINUTE)]
