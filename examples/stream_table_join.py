"""Payments in many currencies, converted at the rate of their own time: a temporal join.

    flott run examples/stream_table_join.py

A table of exchange rates changes; a payment of ten past nine counts at the rate of ten past nine, whenever it is
processed. `FOR SYSTEM_TIME AS OF` asks for that version. The table of rates has a key, the currency, and event time: so
a payment waits until no earlier rate can come, and old rates are forgotten.

Both are streams of the DataStream API here, and the result is one again: SQL is a step of the program.
"""

from __future__ import annotations

import random

from drawing import clock, table
from sample_data import MINUTE, START, payments

from flott.common import Row, Types
from flott.datastream import StreamExecutionEnvironment
from flott.table import Schema, StreamTableEnvironment

CURRENCIES = {"EUR": 1.08, "GBP": 1.27, "JPY": 0.0067, "USD": 1.0}
JOIN = """
    SELECT p.card, p.cents, p.currency, r.rate, p.millis
    FROM payments AS p JOIN rates FOR SYSTEM_TIME AS OF p.at AS r ON p.currency = r.currency
"""


def converted_payments(count=5_000):
    """Give each payment a currency; (card, cents, currency, milliseconds)."""
    dice = random.Random(7)
    return [(one.card, one.cents, dice.choice(list(CURRENCIES)), one.at) for one in payments(count)]


def rates():
    """Move each rate a little every minute; (currency, rate, milliseconds)."""
    dice = random.Random(8)
    made = []
    for minute in range(-1, 10):
        for currency, first in CURRENCIES.items():
            rate = first if currency == "USD" else round(first * dice.uniform(0.99, 1.01), 6)
            made.append((currency, rate, START + minute * MINUTE))
    return made


def joined(env, paid, known):
    """Return rows (card, cents, currency, rate, millis), one for each payment."""
    t_env = StreamTableEnvironment.create(env)
    paid_type = Types.ROW_NAMED(
        ["card", "cents", "currency", "millis"], [Types.STRING(), Types.LONG(), Types.STRING(), Types.LONG()]
    )
    rate_type = Types.ROW_NAMED(["currency", "rate", "millis"], [Types.STRING(), Types.DOUBLE(), Types.LONG()])
    stream = env.from_collection([Row(*payment) for payment in paid], paid_type)
    versions = env.from_collection([Row(*change) for change in known], rate_type)
    with_time = Schema.new_builder().column_by_expression("at", "TO_TIMESTAMP_LTZ(millis, 3)")
    late = with_time.watermark("at", "at - INTERVAL '3' SECOND").build()
    versioned = with_time.watermark("at", "at").primary_key("currency").build()
    t_env.create_temporary_view("payments", stream, late)
    t_env.create_temporary_view("rates", versions, versioned)
    return t_env.to_data_stream(t_env.sql_query(JOIN))


def main() -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(2)
    with joined(env, converted_payments(), rates()).execute_and_collect("stream-table join") as results:
        rows = sorted(tuple(row) for row in results)
    shown = []
    for currency in CURRENCIES:
        mine = [row for row in rows if row[2] == currency]
        dollars = sum(cents * rate for _, cents, _, rate, _ in mine) / 100
        shown.append((currency, len(mine), len({rate for _, _, _, rate, _ in mine}), dollars))
    print(table(["currency", "payments", "rates used", "in dollars"], shown))
    times = [row[-1] for row in rows]
    print(f"\n{len(rows):,} payments from {clock(min(times))} to {clock(max(times))}")


if __name__ == "__main__":
    main()
