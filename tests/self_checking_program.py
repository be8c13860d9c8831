"""The self-checking job as a program: `self_checking_program.py OUT RECORDS RATE`; rate 0 is as fast as it goes."""

from __future__ import annotations

import sys

from tests.chaos.self_checking import build

from flott.datastream import StreamExecutionEnvironment

if __name__ == "__main__":
    out, records, rate = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    env = StreamExecutionEnvironment.get_execution_environment()
    build(env, out, records, rate=rate or None)
    env.execute("operated")
