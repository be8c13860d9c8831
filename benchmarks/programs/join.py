"""orders and payments → connect, by key → each pair that belongs together → discard. One program, two engines.

Every order has one payment, some records later. The function keeps whichever comes first in ValueState until its
partner is here: the join of two streams as Flink's documentation writes it. Run by benchmarks/bench.py; prints a line
of JSON.
"""

from __future__ import annotations

import argparse
import json
import sys

from discarding import discard

parser = argparse.ArgumentParser()
parser.add_argument("--engine", choices=["flott", "pyflink"], required=True)
parser.add_argument("--records", type=int, required=True, help="of both streams together")
parser.add_argument("--parallelism", type=int, default=2)
options = parser.parse_args()
if options.engine == "flott":
    from flott.common import Configuration, Types, WatermarkStrategy
    from flott.datastream import KeyedCoProcessFunction, StreamExecutionEnvironment
    from flott.datastream.connectors.number_seq import NumberSequenceSource
    from flott.datastream.state import ValueStateDescriptor
else:
    from pyflink.common import Configuration, Types, WatermarkStrategy
    from pyflink.datastream import KeyedCoProcessFunction, StreamExecutionEnvironment
    from pyflink.datastream.connectors.number_seq import NumberSequenceSource
    from pyflink.datastream.state import ValueStateDescriptor


class Match(KeyedCoProcessFunction):
    def open(self, runtime_context):
        self.order = runtime_context.get_state(ValueStateDescriptor("order", Types.LONG()))
        self.payment = runtime_context.get_state(ValueStateDescriptor("payment", Types.LONG()))

    def process_element1(self, value, ctx):
        payment = self.payment.value()
        if payment is None:
            self.order.update(value[1])
        else:
            self.payment.clear()
            yield value[0], value[1] - payment

    def process_element2(self, value, ctx):
        order = self.order.value()
        if order is None:
            self.payment.update(value[1])
        else:
            self.order.clear()
            yield value[0], order - value[1]


def main() -> None:
    configuration = Configuration()
    if options.engine == "pyflink":
        configuration.set_string("python.execution-mode", "thread")
        configuration.set_string("python.executable", sys.executable)
    else:
        configuration.set_string("flott.spark.master", f"local[{options.parallelism}]")
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    env.set_parallelism(options.parallelism)
    pair = Types.TUPLE([Types.LONG(), Types.LONG()])
    half = options.records // 2

    def stream(name, shape):
        source = NumberSequenceSource(0, half - 1)
        numbers = env.from_source(source, WatermarkStrategy.no_watermarks(), name, Types.LONG())
        return numbers.map(shape, output_type=pair)

    orders = stream("orders", lambda n: (n, n % 1_000))
    # In blocks of a thousand, backwards.
    payments = stream(
        "payments", lambda n: (n // 1_000 * 1_000 + 999 - n % 1_000 if n < half // 1_000 * 1_000 else n, 1)
    )
    keyed = orders.connect(payments).key_by(lambda order: order[0], lambda payment: payment[0], Types.LONG())
    discard(keyed.process(Match(), output_type=pair), options.engine)
    result = env.execute("join")
    print(json.dumps({"net_seconds": result.get_net_runtime() / 1000, "records": options.records}))


main()
