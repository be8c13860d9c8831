"""Shared by every test.

Markers (declared in pyproject.toml; an unknown one is an error):

- no marker: fast, no Spark, no Java. `make test-fast` runs these in two processes.
- `spark`: uses an embedded Spark session. `make test-spark` runs these in one process.
- `slow`: takes more than ten seconds.
- `chaos`: kills processes or breaks storage while a job runs. `make test-chaos` runs these.
- `oracle`: asks PyFlink or Flink whether they do the same. `make oracle` runs these.

Hypothesis profiles, chosen with HYPOTHESIS_PROFILE:

- `dev` (the default): new random examples in every run.
- `ci` (what the Makefile sets): few examples, the same in every run, so that it is quick and a red build stays red.
- `thorough`: many examples, for a change to windows, valve, key groups, state stores or the NFA.
"""

from __future__ import annotations

import os

from hypothesis import settings

# No deadlines: two busy cores make a quick example look slow.
settings.register_profile("dev", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, max_examples=25)
settings.register_profile("thorough", deadline=None, max_examples=2_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "dev"))
