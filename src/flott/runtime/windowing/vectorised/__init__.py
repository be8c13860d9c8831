"""Windows of columns: aggregates over typed records, many at once, with the results of the record-by-record way.

Upstream of the exchange, ``LocalAggregate`` makes one partial row of all records of a key in a pane. Downstream,
``MergingWindowOperator`` merges partials and lets windows fire. A pane is the stretch of time whose records belong to
the same windows; windows that overlap share panes, so that each record is aggregated once.
"""
