"""Generated records as a source, as in Java's ``flink-connector-datagen``; PyFlink has none.

>>> orders = SeededGenerator(42, lambda random, index: (index, random.choice(["tea", "milk"])))
>>> source = DataGeneratorSource(orders, count=1000, rate_limiter_strategy=RateLimiterStrategy.per_second(100))
>>> source.is_bounded()
True
"""

from __future__ import annotations

from flott.connectors.column_generator import ColumnGenerator
from flott.connectors.data_generator import DataGeneratorSource
from flott.connectors.generator_functions import GeneratorFunction, SeededGenerator
from flott.connectors.rate_limiter import RateLimiterStrategy

__all__ = ["ColumnGenerator", "DataGeneratorSource", "GeneratorFunction", "RateLimiterStrategy", "SeededGenerator"]
