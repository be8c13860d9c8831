"""Metrics of jobs and of user functions, with the names of ``pyflink.metrics``.

A function registers its metrics in ``open``:

>>> from flott.datastream import RuntimeContext, MapFunction
>>> class CountLong(MapFunction):
...     def open(self, runtime_context: RuntimeContext):
...         group = runtime_context.get_metrics_group().add_group("words")
...         self.long = group.counter("long")
...         self.length = group.distribution("length")
...
...     def map(self, value):
...         if len(value) > 7:
...             self.long.inc()
...         self.length.update(len(value))
...         return value
"""

from __future__ import annotations

from flott.runtime.metric_group import MetricGroup
from flott.runtime.metrics import Counter, Distribution, Gauge, Histogram, Meter, Metric

__all__ = ["Counter", "Distribution", "Gauge", "Histogram", "Meter", "Metric", "MetricGroup"]
