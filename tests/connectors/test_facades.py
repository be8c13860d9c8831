from __future__ import annotations

from importlib import import_module

import pytest

from flott.connectors.base import Sink, Source
from flott.connectors.paths import absolute

# Module paths and names of PyFlink 2.3; datagen is Java's.
NAMES = {
    "": ["DeliveryGuarantee", "FileSink", "FileSource", "Sink", "Source", "StreamFormat"],
    ".base": ["DeliveryGuarantee", "Sink", "Source"],
    ".datagen": ["DataGeneratorSource", "GeneratorFunction", "RateLimiterStrategy", "SeededGenerator"],
    ".file_system": ["BucketAssigner", "FileEnumeratorProvider", "FileSink", "FileSource", "FileSourceBuilder",
                     "FileSplitAssignerProvider", "OutputFileConfig", "RollingPolicy", "StreamFormat"],
    ".number_seq": ["NumberSequenceSource"],
    ".postgres": ["DeliveryGuarantee", "PostgresSink", "PostgresSinkBuilder"],
}  # fmt: skip


@pytest.mark.parametrize("module", NAMES)
def test_names_are_where_pyflink_users_look(module):
    found = import_module(f"flott.datastream.connectors{module}")
    assert set(NAMES[module]) <= set(found.__all__)
    assert all(hasattr(found, name) for name in found.__all__)


def test_sources_and_sinks_are_what_they_are_called():
    connectors = import_module("flott.datastream.connectors")
    assert issubclass(connectors.FileSource, Source)
    assert issubclass(connectors.DataGeneratorSource, Source)
    assert issubclass(connectors.NumberSequenceSource, Source)
    assert issubclass(connectors.FileSink, Sink)
    assert [guarantee.name for guarantee in connectors.DeliveryGuarantee] == ["EXACTLY_ONCE", "AT_LEAST_ONCE", "NONE"]


def test_a_source_of_your_own_has_three_methods_and_may_tell_its_type():
    class Own(Source):
        def is_bounded(self):
            return True

        def create_enumerator(self, parallelism):
            return None

        def read(self, read):
            yield from ()

    assert Own().get_produced_type() is None
    with pytest.raises(TypeError):
        Source()


def test_paths_do_not_depend_on_where_a_process_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert absolute("out") == f"{tmp_path}/out"
    assert absolute(tmp_path / "out") == f"{tmp_path}/out"
    assert absolute("memory://x") == "memory://x"
