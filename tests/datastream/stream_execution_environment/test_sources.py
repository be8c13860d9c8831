from __future__ import annotations

import threading

import pytest

from flott.common import Row, Types, WatermarkStrategy
from flott.common.io import InputFormat
from flott.connectors.number_sequence import NumberSequenceSource
from flott.datastream import SourceFunction
from flott.errors import FlottError, GraphError

NO_WATERMARKS = WatermarkStrategy.no_watermarks()


class Never(SourceFunction):
    def run(self, ctx):
        pass


class Locked(NumberSequenceSource):
    def __init__(self):
        super().__init__(1, 2)
        self.lock = threading.Lock()


class Nothing(InputFormat):
    def create_input_splits(self, min_num_splits):
        return []

    def open(self, split):
        pass

    def reached_end(self):
        return True

    def next_record(self):
        raise IndexError


def elements_of(stream):
    source = stream.get_transformation().source
    [reads] = source.create_enumerator(1).plan(1.0, 0).reads
    return [value for read in reads for batch in source.read(read) for value in batch.values]


@pytest.mark.parametrize(
    "make",
    [
        lambda env: env.from_collection([1, 2]),
        lambda env: env.from_collection(number for number in (1, 2)),
        lambda env: env.from_elements(1, 2),
        lambda env: env.from_data(1, 2),
        lambda env: env.from_data([1, 2]),
    ],
)
def test_collections_are_read_by_one_subtask_in_order(env, make):
    stream = make(env)
    assert elements_of(stream) == [1, 2]
    assert stream.get_name() == "Collection Source"
    assert stream.get_parallelism() == 1
    with pytest.raises(GraphError, match="runs with parallelism 1"):
        stream.set_parallelism(2)


def test_an_empty_collection_is_an_empty_stream(env):
    assert elements_of(env.from_collection([])) == []


def test_elements_get_the_shape_of_their_type(env):
    word = Types.ROW_NAMED(["word", "count"], [Types.STRING(), Types.LONG()])
    stream = env.from_collection([("be", 2), Row(count=1, word="or"), {"word": "not", "count": 1}], word)
    assert elements_of(stream) == [Row(word="be", count=2), Row(word="or", count=1), Row(word="not", count=1)]
    assert stream.get_type() == word
    assert elements_of(env.from_collection([1], Types.DOUBLE())) == [1.0]


@pytest.mark.parametrize(
    ("collection", "type_info", "message"),
    [
        ([1, "2"], Types.LONG(), "element 1, '2', is not of the declared type Long: '2' is no Long"),
        ([("be",)], Types.ROW([Types.STRING(), Types.LONG()]), "element 0, .* 2 fields, but the value has 1"),
        ([3], Types.SQL_DATE(), "element 0, 3, is not of the declared type DateTypeInfo"),
        ([1], Types.LONG, "with parentheses"),
        (7, None, r"give a list of elements"),
        ([threading.Lock()], None, "element 0 of the collection"),
    ],
)
def test_elements_that_do_not_fit_are_refused(env, collection, type_info, message):
    with pytest.raises(GraphError, match=message):
        env.from_collection(collection, type_info)


def test_a_sequence(env):
    stream = env.from_sequence(3, 5)
    assert elements_of(stream) == [3, 4, 5]
    assert (stream.get_name(), stream.get_type(), stream.get_parallelism()) == ("Sequence Source", Types.LONG(), 2)


def test_a_source_brings_its_type_unless_one_is_given(env):
    source = NumberSequenceSource(1, 2)
    stream = env.from_source(source, NO_WATERMARKS, "numbers")
    step = stream.get_transformation()
    assert step.source is source
    assert step.operator.strategy is NO_WATERMARKS
    assert (stream.get_name(), stream.get_type()) == ("numbers", Types.LONG())
    assert env.from_source(source, NO_WATERMARKS, "numbers", Types.INT()).get_type() == Types.INT()
    assert env.add_source(source).get_name() == "Custom Source"
    assert env.add_source(source, "mine", Types.INT()).get_type() == Types.INT()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((3, NO_WATERMARKS, "x"), "3 is no source"),
        ((NumberSequenceSource, NO_WATERMARKS, "x"), "is no source; give an object"),
        ((NumberSequenceSource(1, 2), None, "x"), "None is no WatermarkStrategy"),
        ((Locked(), NO_WATERMARKS, "x"), "holds a lock: attribute 'lock' of Locked"),
    ],
)
def test_wrong_sources_are_refused(env, arguments, message):
    with pytest.raises(GraphError, match=message):
        env.from_source(*arguments)


def test_text(env, tmp_path):
    (tmp_path / "lines.txt").write_text("a\nb\n")
    stream = env.read_text_file(str(tmp_path / "lines.txt"))
    assert elements_of(stream) == ["a", "b"]
    assert stream.get_type() == Types.STRING()


def test_a_socket_is_read_by_one_subtask(env):
    stream = env.socket_text_stream("localhost", 9999)
    assert (stream.get_name(), stream.get_type(), stream.get_parallelism()) == ("Socket Stream", Types.STRING(), 1)


def test_what_is_not_there_yet_says_so(env):
    with pytest.raises(FlottError, match="is not available in this version of Flott yet; derive from Source"):
        env.add_source(Never())


def test_an_input_format_is_a_source(env):
    stream = env.create_input(Nothing(), Types.STRING())
    assert stream.get_type() == Types.STRING()
    assert elements_of(stream) == []
    with pytest.raises(GraphError, match="3 is no InputFormat"):
        env.create_input(3)


def test_a_source_alone_is_no_program(env):
    env.from_sequence(1, 2)
    with pytest.raises(GraphError, match="nothing to execute"):
        env.program()
