"""All that the writers and the committer of a Kafka sink need to know."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from flott.connectors.base import DeliveryGuarantee

if TYPE_CHECKING:
    from flott.connectors.kafka.serialization import KafkaRecordSerializationSchema


@dataclass(frozen=True, slots=True)
class KafkaSinkSettings:
    """What a builder gathers."""

    properties: dict[str, str]
    serializer: KafkaRecordSerializationSchema
    guarantee: DeliveryGuarantee
    transactional_id_prefix: str
    staging_directory: str | None = None

    @property
    def exactly_once(self) -> bool:
        """Whether messages are staged and committed."""
        return self.guarantee is DeliveryGuarantee.EXACTLY_ONCE

    @property
    def waits(self) -> bool:
        """Whether an epoch ends only when its messages have arrived."""
        return self.guarantee is not DeliveryGuarantee.NONE
