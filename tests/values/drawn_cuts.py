"""Hypothesis strategies for how an input is cut and spread."""

from __future__ import annotations

from hypothesis import strategies as st
from tests.values.cut_source import Cuts

MOST = 40
"""Records of an input; cuts beyond its end cut nothing."""

epochs = st.lists(st.integers(1, MOST - 1), max_size=4).map(tuple)
batches = st.sampled_from([1, 2, 5, MOST])
cuts = st.builds(Cuts, epochs, batches)
failing_cuts = st.builds(Cuts, epochs, batches, st.integers(0, MOST - 1))
parallelisms = st.sampled_from([1, 2, 3])
