"""The self-checking job as a program: `self_checking_program.py OUT`. It has no end, so a test ends it."""

from __future__ import annotations

import sys

from tests.chaos.self_checking import build

from flott.datastream import StreamExecutionEnvironment

if __name__ == "__main__":
    env = StreamExecutionEnvironment.get_execution_environment()
    build(env, sys.argv[1], None, rate=500)
    env.execute("operated")
