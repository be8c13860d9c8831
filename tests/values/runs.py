"""One run of one job: what goes in, how it is cut and spread, and what came out."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from tests.failing_jobs import lines, text_sink
from tests.values.cut_source import Cuts, CutSource, Tail
from tests.values.fingerprints import fingerprint

from flott.common import Configuration, Duration, Types, WatermarkStrategy
from flott.datastream import StreamExecutionEnvironment

if TYPE_CHECKING:
    from collections.abc import Callable

    from flott.datastream import DataStream

IN_PROCESS = "in-process"
UNCUT = Cuts()
LATEST = Duration.of_days(1)
"""Nothing comes late, so that event time passes the records only at the end of the input."""


@dataclass(frozen=True)
class Run:
    """A job to run: the function that builds it is named, so that another process can run it too."""

    job: str
    """``module:function``, or ``module:function:name`` where the function returns the one to take by a name.

    It takes a stream of the values, and returns streams of labels and a value.
    """
    values: list[Any]
    cuts: Cuts = UNCUT
    parallelism: int = 1
    ordered: bool = False
    """Whether event time follows the records, or stands still until the end."""

    def outcome(self, target: str = IN_PROCESS, **options: str) -> list[list[str]]:
        """Run the job in this process; return each record that came out as its labels and a fingerprint."""
        module, function, *names = self.job.split(":")
        build: Callable[[DataStream], list[DataStream]] = getattr(import_module(module), function)
        for name in names:
            build = build(name)  # type: ignore[arg-type,assignment]
        env = environment(target, self.parallelism, options)
        with TemporaryDirectory() as folder:
            for stream in build(self.source(env)):
                stream.map(line, Types.STRING()).sink_to(text_sink(Path(folder)))
            env.execute()
            return [text.split("\t") for text in lines(Path(folder))]

    def source(self, env: StreamExecutionEnvironment) -> DataStream:
        """Return the stream of the values."""
        strategy = (
            WatermarkStrategy.for_monotonous_timestamps()
            if self.ordered
            else WatermarkStrategy.for_bounded_out_of_orderness(LATEST)
        )
        source = env.from_source(CutSource(self.values, self.cuts), strategy, "values").set_parallelism(1)
        return source.filter(lambda value: type(value) is not Tail).set_parallelism(1)


def line(record: tuple[Any, ...]) -> str:
    """Return a record as text: its labels, then the fingerprint of the value."""
    *labels, value = record
    return "\t".join((*map(str, labels), fingerprint(value)))


def environment(target: str, parallelism: int, options: dict[str, str]) -> StreamExecutionEnvironment:
    """Return an environment that tries again once, from the last checkpoint, when the source fails."""
    configuration = Configuration()
    settings = {
        "flott.execution.target": "in-process" if target == IN_PROCESS else "spark",
        "execution.checkpointing.interval": "1 ms",
        "restart-strategy.type": "fixed-delay",
        "restart-strategy.fixed-delay.delay": "0 ms",
        "restart-strategy.fixed-delay.attempts": "1",
        **({} if target == IN_PROCESS else {"flott.spark.master": target}),
        **options,
    }
    for name, value in settings.items():
        configuration.set_string(name, value)
    return StreamExecutionEnvironment.get_execution_environment(configuration).set_parallelism(parallelism)
