"""The head of a source's chain: reads what the driver planned, stamps it, and keeps event time per split."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.errors import USER_CODE_RAISES, FlottError
from flott.runtime.batch import MAX_WATERMARK, Batch
from flott.runtime.emission import copies, owned
from flott.runtime.operator import Operator
from flott.runtime.source import PARSE_ERRORS, CountsParseErrors, raise_named
from flott.runtime.split_watermarks import SplitWatermarks
from flott.runtime.value_kinds import NotCopiedError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flott.common.watermark_strategy import WatermarkStrategy
    from flott.runtime.metrics import Counter
    from flott.runtime.source import Source, SplitRead
    from flott.runtime.typed_output import TypedRecords


class SourceOperator(Operator):
    """Reads splits. With a watermark strategy, each split has its own generator; the slowest one counts."""

    def __init__(
        self, source: Source, strategy: WatermarkStrategy | None = None, typed: TypedRecords | None = None
    ) -> None:
        self.source = source
        self.strategy = strategy
        self.makes_watermarks = strategy is not None and strategy.makes_watermarks
        self.time: SplitWatermarks | None = None
        self.typed = typed
        """Gives records the shape of the type that was declared for them, before the strategy sees them."""
        self.ended = False
        self.records = 0
        self._parse_errors: Counter | None = None

    def open(self) -> None:
        if isinstance(self.source, CountsParseErrors):
            self._parse_errors = self.context.metrics.counter(PARSE_ERRORS)
        self._shape = None if self.typed is None else self.typed.shaper(self.context.title)
        if self.strategy is not None:
            self.time = SplitWatermarks(self.strategy, self.context, self.output)

    def restore(self, carried: Any) -> None:
        self.records = 0
        self.ended, time = carried or (False, None)
        if self.time is not None:
            self.time.restore(time)

    def snapshot(self) -> Any:
        return self.ended, None if self.time is None else self.time.snapshot()

    def hold(self, reads: tuple[SplitRead, ...], *, everything: bool = False) -> None:
        """Learn which splits wait for slower ones, or that the source waits for another, before time goes on."""
        if self.time is not None:
            if everything:
                self.time.hold_all()
            for read in reads:
                if read.paused:
                    self.time.hold(read.split)

    def split_watermarks(self) -> dict[str, int]:
        """Return how far the active splits of a source have come that is aligned with others."""
        aligned = self.strategy is not None and self.strategy.alignment is not None
        return self.time.active_watermarks() if aligned and self.time is not None else {}  # type: ignore[return-value]

    def run(self, reads: tuple[SplitRead, ...], *, ended: bool) -> Iterator[None]:
        """Read what was planned; gives way to the caller after each batch."""
        time = self.time
        if time is not None:
            for read in reads:
                time.add_split(read.split)
        for read in reads:
            for given in self._batches(read):
                batch = self._own(given)
                self.records += len(batch)
                if time is None:
                    self.output.emit(batch)
                else:
                    self._stamped(read, batch, time)
                yield
            if self._parse_errors is not None:
                self._parse_errors.inc(self.source.take_parse_errors())  # type: ignore[attr-defined]
            if time is not None and read.ended:
                time.remove_split(read.split)
        if ended and not self.ended:
            self.ended = True
            if time is not None:
                time.finish()
            self.output.emit_watermark(MAX_WATERMARK)
            yield

    def _own(self, batch: Batch) -> Batch:
        """Return the records as those behind get them: theirs alone, in the shape of their type."""
        if not (batch.columnar or self.context.object_reuse):
            try:
                values = (owned if self.source.fresh_batches else copies)(batch.values)
            except NotCopiedError as error:
                message = f"{self.context.title}: a record of the source can't be emitted: {error}"
                raise FlottError(message) from None
            batch = Batch(values, batch.stamps)
        return batch if self._shape is None else self._shape(batch)

    def _batches(self, read: SplitRead) -> Iterator[Batch]:
        try:
            yield from self.source.read(read)
        except (ConnectionError, FlottError) as error:
            raise_named(self.context.title, error)
        except OSError:
            raise
        except (Exception, SystemExit, KeyboardInterrupt) as error:  # not GeneratorExit: this generator may be closed
            raise self.failure(error, f"of split {read.split}, positions {read.start} to {read.end}") from None

    def _stamped(self, read: SplitRead, batch: Batch, time: SplitWatermarks) -> None:
        try:
            time.process(read.split, batch)
        except FlottError:
            raise
        except USER_CODE_RAISES as error:
            raise self.failure(error, batch.values[:1]) from None

    def process_time(self, now: int) -> None:
        if self.time is not None and not self.ended:
            self.time.process_time(now)

    def next_wakeup(self) -> int | None:
        return None if self.time is None or self.ended else self.time.next_wakeup()
