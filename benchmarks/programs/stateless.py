"""numbers → map → filter → discard: Python functions without state, on Flott and on PyFlink.

Run by benchmarks/bench.py; prints one line of JSON.
"""

from __future__ import annotations

import argparse
import json
import sys

from discarding import discard


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--engine", choices=["flott", "pyflink"], required=True)
    parser.add_argument("--records", type=int, required=True)
    parser.add_argument("--exchanges", type=int, default=0, help="this many times, the records change the subtask")
    parser.add_argument("--parallelism", type=int, default=2)
    return parser.parse_args()


options = arguments()
if options.engine == "flott":
    from flott.common import Configuration, Types, WatermarkStrategy
    from flott.datastream import StreamExecutionEnvironment
    from flott.datastream.connectors.number_seq import NumberSequenceSource
else:
    from pyflink.common import Configuration, Types, WatermarkStrategy
    from pyflink.datastream import StreamExecutionEnvironment
    from pyflink.datastream.connectors.number_seq import NumberSequenceSource


def main() -> None:
    configuration = Configuration()
    if options.engine == "pyflink":
        configuration.set_string("python.execution-mode", "thread")
        configuration.set_string("python.executable", sys.executable)
    else:
        configuration.set_string("flott.spark.master", f"local[{min(options.parallelism, 2)}]")
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    env.set_parallelism(options.parallelism)
    source = NumberSequenceSource(0, options.records - 1)
    numbers = env.from_source(source, WatermarkStrategy.no_watermarks(), "numbers", Types.LONG())
    pair = Types.TUPLE([Types.LONG(), Types.LONG()])
    stream = numbers.map(lambda n: (n * 7919 % 1000, n % 100), output_type=pair).filter(lambda pair: pair[1] < 50)
    for _ in range(options.exchanges):
        stream = stream.key_by(lambda pair: pair[0], key_type=Types.LONG()).map(
            lambda pair: (pair[0] + 1, pair[1]), output_type=pair
        )
    discard(stream, options.engine)
    net = env.execute("stateless").get_net_runtime() / 1000
    print(json.dumps({"net_seconds": net, "records": options.records}))


main()
