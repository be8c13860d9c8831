"""What a program has in it for a table: the source that reads it, the sink that writes it."""

from __future__ import annotations


def source_of(t_env, name):
    """Return what reads a table, as a query of all its columns gets it."""
    step = t_env.planner.stream(t_env.from_path(name).plan)[1].get_transformation()
    while step.inputs:
        [step] = step.inputs
    return step.source


def sink_of(t_env, name, query):
    """Return what writes a table, as INSERT INTO it gets it."""
    planner = t_env.planner
    planner.sinks([planner.into((name,), t_env.sql_query(query).plan)])
    return next(step.operator.sink for step in planner.environment.get_transformations() if step.is_sink)
