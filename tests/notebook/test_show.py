"""Streams and queries are shown while they run: the last picture stays, an interrupt ends the job."""

from __future__ import annotations

import sys

import pytest

from flott.common import Configuration, JobStatus, WatermarkStrategy
from flott.datastream import StreamExecutionEnvironment
from flott.datastream.connectors.datagen import DataGeneratorSource, RateLimiterStrategy
from flott.datastream.job_listener import JobListener
from flott.errors import FlottError, JobExecutionError
from flott.notebook import show
from flott.notebook.show import watch
from flott.table import StreamTableEnvironment

pytestmark = pytest.mark.job


class Screen:
    """Keeps all pictures."""

    def __init__(self):
        self.pictures = []

    def display(self, picture):
        self.update(picture)
        return self

    def update(self, picture):
        self.pictures.append(picture)

    @property
    def last(self):
        return self.pictures[-1]


class Impatient(Screen):
    """Presses the stop button when there are rows to be seen."""

    def update(self, picture):
        super().update(picture)
        if picture.status == "running" and picture.total > 100:
            raise KeyboardInterrupt


class Listener(JobListener):
    """Keeps the handles of jobs."""

    def __init__(self, clients):
        self.clients = clients

    def on_job_submitted(self, job_client, exception):
        self.clients.append(job_client)

    def on_job_executed(self, job_execution_result, exception):
        pass


@pytest.fixture
def env():
    target = Configuration().set_string("flott.execution.target", "in-process")
    environment = StreamExecutionEnvironment.get_execution_environment(target)
    return environment.set_parallelism(1)


def words(env):
    return env.from_collection(["to", "be", "or", "not", "to", "be"]).map(lambda word: (word, 1))


def test_the_last_records_of_a_stream(env):
    screen = Screen()
    watch(words(env), screen.display, rows=2, columns=["word", "count"], name="words", every=0.05)
    assert screen.pictures[0].status == "starting"
    assert screen.last.status == "finished"
    assert screen.last.name == "words"
    assert screen.last.epoch >= 1
    assert screen.last.columns == ["word", "count"]
    assert (screen.last.rows, screen.last.total) == ([["to", "1"], ["be", "1"]], 6)
    assert all("/s" not in head for head in screen.last.states()[0])


def test_the_last_record_of_each_key(env):
    counts = words(env).key_by(lambda pair: pair[0]).reduce(lambda a, b: (a[0], a[1] + b[1]))
    screen = Screen()
    watch(counts, screen.display, rows=10, key=lambda pair: pair[0])
    assert screen.last.rows == [["be", "2"], ["not", "1"], ["or", "1"], ["to", "2"]]
    assert [line.read for line in screen.last.operators][-1] == 6


def test_watermarks_are_shown(env):
    event_time = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(lambda number, _: number)
    screen = Screen()
    watch(env.from_collection([5, 6]).assign_timestamps_and_watermarks(event_time), screen.display, rows=5)
    assert [line.cells()[1] for line in screen.last.operators] == ["the end"]


def test_a_query_as_its_table_stands(env):
    t_env = StreamTableEnvironment.create(env)
    query = "SELECT a, COUNT(*) AS n FROM (VALUES ('x'), ('y'), ('x')) AS t(a) GROUP BY a"
    for result in (t_env.sql_query(query), t_env.execute_sql(query)):
        screen = Screen()
        watch(result, screen.display, rows=5)
        assert screen.last.columns == ["a", "n"]
        assert sorted(screen.last.rows) == [["x", "2"], ["y", "1"]]


def test_an_interrupt_ends_the_job_and_what_was_shown_stays(env):
    source = DataGeneratorSource(lambda index: index, None, RateLimiterStrategy.per_second(5_000))
    stream = env.from_source(source, WatermarkStrategy.no_watermarks(), "numbers")
    clients = []
    env.register_job_listener(Listener(clients))
    screen = Impatient()
    watch(stream, screen.display, rows=3, every=0.02)
    assert screen.last.status == "stopped"
    assert len(screen.last.rows) == 3
    assert clients[0].get_job_status().result() is JobStatus.CANCELED


def test_a_failure_is_raised(env):
    screen = Screen()
    with pytest.raises(JobExecutionError, match="modulo by zero"):
        watch(env.from_collection([0]).map(lambda number: 1 // number), screen.display, rows=3)
    assert screen.last.status == "failed"


def test_in_a_plain_script_the_last_picture_is_printed(env, capsys):
    show(words(env), name="words")
    printed = capsys.readouterr().out
    assert printed.startswith("words: finished · epoch")
    assert printed.count("words: ") == 1
    assert "\n6 rows\n" in printed


def test_without_ipython_it_says_what_to_install(env, monkeypatch):
    monkeypatch.setitem(sys.modules, "IPython", None)
    with pytest.raises(FlottError, match=r"pip install 'flott\[notebook\]'"):
        show(words(env))


def test_what_cannot_be_shown(env):
    with pytest.raises(FlottError, match="give a DataStream, a Table"):
        show([1, 2])
    with pytest.raises(FlottError, match="at least one row"):
        show(words(env), rows=0)
    with pytest.raises(FlottError, match="leave out key and columns"):
        show(StreamTableEnvironment.create(env).sql_query("SELECT 1"), columns=["a"])
