"""The options of tables in Kafka, with Flink's names."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from flott.common.duration_text import parse_duration
from flott.connectors.base import DeliveryGuarantee
from flott.connectors.kafka.client import checked_properties
from flott.connectors.kafka.offsets import KafkaOffsetResetStrategy, KafkaOffsetsInitializer, KafkaTopicPartition
from flott.table.connectors.line_formats import format_of
from flott.table.connectors.options import Options
from flott.table.errors import TableError, did_you_mean

if TYPE_CHECKING:
    from flott.table.catalog import CatalogTable
    from flott.table.connectors.file_formats import LineFormat
    from flott.table.types import DataType

FORMATS = ("csv", "json")
PROPERTIES = "properties."
GUARANTEES = {
    "none": DeliveryGuarantee.NONE,
    "at-least-once": DeliveryGuarantee.AT_LEAST_ONCE,
    "exactly-once": DeliveryGuarantee.EXACTLY_ONCE,
}
INCLUDES = ("ALL", "EXCEPT_KEY")
NANOS = 1_000_000
PLACE = re.compile(r"partition:(\d+),offset:(\d+)")
ASKED_LATER = (
    "scan.startup.mode", "scan.startup.specific-offsets", "scan.startup.timestamp-millis", "scan.bounded.mode",
    "scan.bounded.specific-offsets", "scan.bounded.timestamp-millis", "scan.topic-partition-discovery.interval",
    "sink.delivery-guarantee", "sink.transactional-id-prefix", "sink.staging-directory", "topic-pattern",
)  # fmt: skip
"""What one of source and sink asks for, and the other lets stand: a table may be both."""


@dataclass(frozen=True, slots=True)
class KafkaLayout:
    """Which columns are in the key and in the value of a message, and how they are written there."""

    key_format: LineFormat | None
    key: tuple[str, ...]
    prefix: str
    value_format: LineFormat
    value: tuple[str, ...]
    types: dict[str, DataType]

    def key_names(self) -> list[str]:
        """Return the names that the key's columns have in the message."""
        return [name.removeprefix(self.prefix) for name in self.key]


def properties_of(options: Options, table: CatalogTable) -> dict[str, str]:
    """Return what goes to the client: all that begins with 'properties.'."""
    given = {}
    for key in table.options:
        if key.startswith(PROPERTIES):
            given[key.removeprefix(PROPERTIES)] = options.text(key) or ""
    if "bootstrap.servers" not in given:
        options.text("properties.bootstrap.servers", required=True)
    for key in ASKED_LATER:
        options.text(key)
    return checked_properties(given)


def topics_of(options: Options) -> tuple[str, ...]:
    """Return the topics that the option 'topic' names."""
    text = options.text("topic")
    return () if text is None else tuple(name.strip() for name in text.split(";") if name.strip())


def layout_of(options: Options, table: CatalogTable, *, key_required: bool = False) -> KafkaLayout:
    """Return how columns lie in messages."""
    types = {column.name: column.type for column in table.schema.stored() if column.type is not None}
    value_format = _format(options, table, "value.format" if "value.format" in table.options else "format")
    key_format = _format(options, table, "key.format") if key_required or "key.format" in table.options else None
    prefix = options.text("key.fields-prefix", "") or ""
    named = options.text("key.fields")
    if key_required:
        key = tuple(table.schema.key)
    else:
        key = tuple(name.strip() for name in (named or "").split(";") if name.strip())
    if bool(key) != (key_format is not None):
        raise TableError(
            f"table '{options.table}': 'key.format' and 'key.fields' go together; 'key.fields' = 'user;day' names the "
            f"columns that a message's key holds"
        )
    for name in key:
        if name not in types:
            raise TableError(f"table '{options.table}': 'key.fields': no column '{name}'{did_you_mean(name, types)}")
        if not name.startswith(prefix):
            raise TableError(f"table '{options.table}': column '{name}' does not begin with '{prefix}'")
    include = options.text("value.fields-include", "ALL") or "ALL"
    if include not in INCLUDES:
        raise TableError(f"table '{options.table}': 'value.fields-include' is ALL or EXCEPT_KEY, not '{include}'")
    if prefix and include == "ALL":
        raise TableError(f"table '{options.table}': with a 'key.fields-prefix', 'value.fields-include' is EXCEPT_KEY")
    value = tuple(name for name in types if include == "ALL" or name not in key)
    return KafkaLayout(key_format, key, prefix, value_format, value, types)


def _format(options: Options, table: CatalogTable, key: str) -> LineFormat:
    """Return a format; its own options stand behind its name, with key. or value. in front of that."""
    name = options.text(key, required=True) or ""
    front = key.removesuffix("format")
    begin = f"{front}{name}."
    own = {option.removeprefix(front): options.text(option) for option in table.options if option.startswith(begin)}
    inner = Options(options.table, {**{option: value or "" for option, value in own.items()}, "format": name})
    made = format_of(inner, FORMATS)
    inner.finish()
    return made


def starting(options: Options, topics: tuple[str, ...], properties: dict[str, str]) -> KafkaOffsetsInitializer:
    """Return where to start: by default where the group stands."""
    mode = options.text("scan.startup.mode", "group-offsets") or ""
    reset = properties.get("auto.offset.reset", "none").upper()
    if reset not in KafkaOffsetResetStrategy.__members__:
        raise TableError(f"table '{options.table}': 'properties.auto.offset.reset' is earliest, latest or none")
    return _offsets(options, "scan.startup", mode, topics, KafkaOffsetResetStrategy[reset])


def stopping(options: Options, topics: tuple[str, ...]) -> KafkaOffsetsInitializer | None:
    """Return where to stop; by default nowhere."""
    mode = options.text("scan.bounded.mode", "unbounded") or ""
    if mode == "unbounded":
        return None
    return _offsets(options, "scan.bounded", mode, topics, KafkaOffsetResetStrategy.LATEST)


def _offsets(
    options: Options, front: str, mode: str, topics: tuple[str, ...], reset: KafkaOffsetResetStrategy
) -> KafkaOffsetsInitializer:
    make: dict[str, Any] = {
        "earliest-offset": KafkaOffsetsInitializer.earliest,
        "latest-offset": KafkaOffsetsInitializer.latest,
        "group-offsets": lambda: KafkaOffsetsInitializer.committed_offsets(reset),
        "timestamp": lambda: KafkaOffsetsInitializer.timestamp(_stamp(options, f"{front}.timestamp-millis")),
        "specific-offsets": lambda: KafkaOffsetsInitializer.offsets(
            _places(options, f"{front}.specific-offsets", topics)
        ),
    }
    if mode not in make:
        raise TableError(f"table '{options.table}': there is no '{front}.mode' '{mode}'{did_you_mean(mode, make)}")
    made: KafkaOffsetsInitializer = make[mode]()
    return made


def _stamp(options: Options, key: str) -> int:
    stamp = options.whole(key)
    if stamp is None:
        raise TableError(f"table '{options.table}': the option '{key}' is missing: milliseconds since 1970")
    return stamp


def _places(options: Options, key: str, topics: tuple[str, ...]) -> dict[KafkaTopicPartition, int]:
    text = options.text(key, required=True) or ""
    found = [PLACE.fullmatch(one.strip()) for one in text.split(";") if one.strip()]
    if len(topics) != 1 or not all(found):
        raise TableError(
            f"table '{options.table}': '{key}' = '{text}': write 'partition:0,offset:42;partition:1,offset:300', for a "
            f"table of one topic"
        )
    return {KafkaTopicPartition(topics[0], int(one[1])): int(one[2]) for one in found if one is not None}


def discovery_of(options: Options) -> str:
    """Return the interval of looking for new partitions, in milliseconds."""
    text = options.text("scan.topic-partition-discovery.interval", "5 min") or ""
    try:
        return str(parse_duration(text) // NANOS)
    except ValueError as error:
        raise TableError(f"table '{options.table}': 'scan.topic-partition-discovery.interval': {error}") from None


def guarantee_of(options: Options) -> DeliveryGuarantee:
    """Return how often a row may show after a failure."""
    text = options.text("sink.delivery-guarantee", "at-least-once") or ""
    if text not in GUARANTEES:
        hint = did_you_mean(text, GUARANTEES)
        raise TableError(f"table '{options.table}': there is no 'sink.delivery-guarantee' '{text}'{hint}")
    return GUARANTEES[text]
