"""PostgreSQL as a sink; exactly once by prepared transactions. Needs the extra ``flott[postgres]``.

>>> sink = (
...     PostgresSink.builder()
...     .set_connection(host="db.example.com", dbname="shop", user="shop")
...     .set_statement("INSERT INTO orders (id, amount) VALUES (%s, %s)")
...     .set_parameters(lambda order: (order["id"], order["amount"]))
...     .set_batch_size(500)
...     .build()
... )
"""

from __future__ import annotations

from flott.connectors.base import DeliveryGuarantee
from flott.connectors.postgres_sink import PostgresSink, PostgresSinkBuilder

__all__ = ["DeliveryGuarantee", "PostgresSink", "PostgresSinkBuilder"]
