"""sys.exit() and its like in a function are failures of that function; a real Ctrl-C still interrupts execute()."""

from __future__ import annotations

import signal
import sys
import threading

import pytest
from tests.failing_jobs import environment
from tests.waiting import PATIENCE

from flott.common import JobStatus, WatermarkStrategy
from flott.connectors.data_generator import DataGeneratorSource
from flott.connectors.rate_limiter import RateLimiterStrategy
from flott.datastream import KeyedProcessFunction, MapFunction
from flott.errors import JobExecutionError

RAISED = [SystemExit, KeyboardInterrupt, GeneratorExit]
NO_RESTART = {"restart-strategy.type": "none"}


def raises(error):
    """Return a function that fails on 2."""

    def fail(value):
        if value == 2:
            raise error("from the function")
        return value

    return fail


class InOpen(MapFunction):
    def __init__(self, error):
        self.error = error

    def open(self, runtime_context):
        raise self.error("from the function")

    def map(self, value):
        return value


class Yields(KeyedProcessFunction):
    def __init__(self, error):
        self.fail = raises(error)

    def process_element(self, value, ctx):
        yield self.fail(value)


def source(function):
    return lambda env: env.from_source(DataGeneratorSource(function, 3), WatermarkStrategy.no_watermarks(), "generated")


PLACES = {
    "map": lambda env, error: env.from_collection([1, 2]).map(raises(error)),
    "filter": lambda env, error: env.from_collection([1, 2]).filter(raises(error)),
    "flat map": lambda env, error: env.from_collection([1, 2]).flat_map(lambda n: [raises(error)(n)]),
    "open": lambda env, error: env.from_collection([1, 2]).map(InOpen(error)),
    "key selector": lambda env, error: env.from_sequence(1, 2).key_by(raises(error)).reduce(lambda a, b: a),
    "generator": lambda env, error: env.from_collection([1, 2]).key_by(lambda n: 0).process(Yields(error)),
    "reduce": lambda env, error: env.from_collection([2, 2]).key_by(lambda n: 0).reduce(lambda a, b: raises(error)(b)),
    "source": lambda env, error: source(raises(error))(env),
}


@pytest.mark.parametrize("error", RAISED)
@pytest.mark.parametrize("place", PLACES)
def test_it_is_a_failure_of_the_function(place, error):
    env = environment(**NO_RESTART)
    PLACES[place](env, error).filter(lambda _: False).print()
    client = env.execute_async("exits")
    with pytest.raises(JobExecutionError, match=rf"{error.__name__}: from the function"):
        client.get_job_execution_result().result(PATIENCE)
    assert client.get_job_status().result() is JobStatus.FAILED


def test_execute_raises_the_failure_and_goes_on():
    env = environment(**NO_RESTART)
    env.from_collection([1, 2]).map(lambda n: sys.exit(3)).print()
    with pytest.raises(JobExecutionError, match=r"operator 'Map'.*record [12]\n(?s:.*)SystemExit: 3"):
        env.execute("exits")


def test_the_restart_strategy_decides_as_for_any_failure():
    env = environment(parallelism=1, **{"restart-strategy.fixed-delay.attempts": "2"})
    env.from_collection([1, 2]).map(raises(SystemExit)).filter(lambda _: False).print()
    client = env.execute_async("exits")
    with pytest.raises(JobExecutionError):
        client.get_job_execution_result().result(PATIENCE)
    assert len(client.master.failures) == 3


def test_ctrl_c_interrupts_execute_and_cancels_the_job():
    env = environment()
    slow = DataGeneratorSource(lambda index: index, None, RateLimiterStrategy.per_second(100))
    env.from_source(slow, WatermarkStrategy.no_watermarks(), "slow").filter(lambda _: False).print()
    execute_async, clients = env.execute_async, []

    def started(name):
        clients.append(execute_async(name))
        clients[0].master.listeners.append(lambda _: stop())
        return clients[0]

    once = threading.Event()

    def stop():
        if not once.is_set():
            once.set()
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    env.execute_async = started
    with pytest.raises(KeyboardInterrupt):
        env.execute("interrupted")
    assert clients[0].get_job_status().result() is JobStatus.CANCELED
