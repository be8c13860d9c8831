"""numbers → a lookup at a web service → files. Run by benchmarks/async_lookup.py; prints one line of JSON."""

from __future__ import annotations

import argparse
import asyncio
import http.client
import json

from flott.common import Configuration, Duration, Encoder, Types, WatermarkStrategy
from flott.datastream import AsyncDataStream, AsyncFunction, MapFunction, StreamExecutionEnvironment
from flott.datastream.connectors.file_system import FileSink
from flott.datastream.connectors.number_seq import NumberSequenceSource

parser = argparse.ArgumentParser()
parser.add_argument("--engine", choices=["flott"], required=True)
parser.add_argument("--way", choices=["waiting", "ordered", "unordered"], required=True)
parser.add_argument("--records", type=int, required=True)
parser.add_argument("--port", type=int, required=True)
parser.add_argument("--capacity", type=int, required=True)
parser.add_argument("--output", required=True)
options = parser.parse_args()
PORT = options.port


class Wait(MapFunction):
    """Asks, and does nothing until the answer is here."""

    def open(self, runtime_context):
        self.connection = http.client.HTTPConnection("127.0.0.1", PORT)

    def map(self, value):
        self.connection.request("GET", f"/{value}")
        return f"{value},{int(self.connection.getresponse().read())}"

    def close(self):
        self.connection.close()


class Ask(AsyncFunction):
    """Asks over connections that are used again."""

    def open(self, runtime_context):
        self.idle = []

    async def async_invoke(self, value):
        reader, writer = self.idle.pop() if self.idle else await asyncio.open_connection("127.0.0.1", PORT)
        writer.write(b"GET /%d HTTP/1.1\r\nHost: service\r\n\r\n" % value)
        head = await reader.readuntil(b"\r\n\r\n")
        body = await reader.readexactly(int(head.rpartition(b": ")[2]))
        self.idle.append((reader, writer))
        return [f"{value},{int(body)}"]

    def close(self):
        for _, writer in self.idle:
            writer.close()


def main() -> None:
    configuration = Configuration()
    configuration.set_string("flott.spark.master", "local[2]")
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    env.set_parallelism(1)
    numbers = env.from_source(
        NumberSequenceSource(0, options.records - 1), WatermarkStrategy.no_watermarks(), "numbers", Types.LONG()
    )
    if options.way == "waiting":
        answers = numbers.map(Wait(), output_type=Types.STRING())
    else:
        ask = AsyncDataStream.ordered_wait if options.way == "ordered" else AsyncDataStream.unordered_wait
        answers = ask(numbers, Ask(), Duration.of_seconds(30), options.capacity, Types.STRING())
    answers.sink_to(FileSink.for_row_format(options.output, Encoder.simple_string_encoder()).build())
    result = env.execute("async lookup")
    print(json.dumps({"net_seconds": result.get_net_runtime() / 1000}))


main()
