"""Cards that are tested before they are robbed: two small payments, then a large one, within a minute.

    python examples/fraud_detection.py [--payments 20000] [--in-process]

Thieves try a stolen card with a payment or two that nobody notices, and then buy. The pattern looks for that on each
card: small payments, one directly after the other, as many as there are but at least two, and then a large one, all
within a minute. A card that was only tested goes to a side output when its minute is over, to be watched.

Payments come from a seeded generator, out of order by up to three seconds, with a few such thefts among them; at the
end the program says whether it found all of them.
"""

from __future__ import annotations

import argparse
import random
from dataclasses import dataclass

from flott.cep import CEP, AfterMatchSkipStrategy, Pattern, PatternProcessFunction, TimedOutPartialMatchHandler
from flott.common import Configuration, Duration, TimestampAssigner, WatermarkStrategy
from flott.datastream import OutputTag, StreamExecutionEnvironment

TESTED = OutputTag("tested")
SMALL, LARGE = 200, 50_000
"""In cents."""


@dataclass(frozen=True)
class Payment:
    card: str
    cents: int
    at: int
    """When it was made, in milliseconds since 1970."""


class MadeAt(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value.at


def payments(count: int) -> tuple[list[Payment], set[str]]:
    """Make payments of honest people, and of a thief now and then; say which cards were robbed."""
    dice = random.Random(1)
    made = [
        Payment(f"card-{dice.randrange(count // 20)}", dice.randrange(SMALL * 2, LARGE), number * 50)
        for number in range(count)
    ]
    robbed = set()
    for number in range(count // 1000):
        at = dice.randrange(count * 50)
        card = f"stolen-{number}"
        amounts = [dice.randrange(1, SMALL) for _ in range(dice.randrange(2, 5))]
        if dice.random() < 0.5:
            amounts.append(dice.randrange(LARGE, LARGE * 5))
            robbed.add(card)
        made += [Payment(card, cents, at + 4_000 * step) for step, cents in enumerate(amounts)]
    made.sort(key=lambda payment: payment.at + dice.randrange(3_000))
    return made, robbed


def tested_then_robbed() -> Pattern:
    return (
        Pattern.begin("test", AfterMatchSkipStrategy.skip_past_last_event())
        .where(lambda payment: payment.cents < SMALL)
        .times_or_more(2)
        .consecutive()
        .greedy()
        .next("theft")
        .where(lambda payment: payment.cents >= LARGE)
        .within(Duration.of_minutes(1))
    )


class Alert(PatternProcessFunction, TimedOutPartialMatchHandler):
    """Tells of thefts, and aside of cards that were tested."""

    def process_match(self, match, ctx):
        (theft,) = match["theft"]
        yield theft.card, len(match["test"]), theft.cents

    def process_timed_out_match(self, match, ctx):
        if len(match["test"]) > 1:
            yield TESTED, match["test"][0].card


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--payments", type=int, default=20_000)
    parser.add_argument("--in-process", action="store_true", help="run in this process, without Spark")
    options = parser.parse_args()

    configuration = Configuration()
    if options.in_process:
        configuration.set_string("flott.execution.target", "in-process")
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    env.set_parallelism(2)
    made, robbed = payments(options.payments)
    in_time = WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_seconds(3)).with_timestamp_assigner(MadeAt())
    stream = env.from_collection(made).assign_timestamps_and_watermarks(in_time)

    pattern = tested_then_robbed()
    print(pattern.explain(), "\n")
    alerts = CEP.pattern(stream.key_by(lambda payment: payment.card), pattern).process(Alert())
    watched = alerts.get_side_output(TESTED)

    with alerts.execute_and_collect() as found:
        thefts = sorted(found)
    for card, tests, cents in thefts:
        print(f"ALERT  {card}: {tests} small payments, then {cents / 100:,.2f}")
    with watched.execute_and_collect() as found:
        print(f"watch  {len(set(found))} cards that were only tested")
    missed = robbed - {card for card, _, _ in thefts}
    print(f"\n{len(thefts)} alerts, {len(robbed)} thefts, {len(missed)} missed")


if __name__ == "__main__":
    main()
