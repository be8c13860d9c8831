"""Has Flott lost speed since the base, a revision whose speed was fine? ``make compare` of a few operators, in CI.

    python benchmarks/guard.py [--minutes 1]

The checkout as it is runs against the base, at the same time on one processor, so that a busy machine disturbs both
alike. It fails if an operator has clearly lost 3 %; what the time does not suffice to decide does not fail. Losses too
small to be seen add up, for the base stays. A change that is meant to cost time sets it to a commit behind itself.
"""

from __future__ import annotations

import argparse
import sys

from benchmarks.compare.__main__ import main as compare
from benchmarks.compare.revisions import is_known

BASE = "7208163742666c70ff37f8962206c187d7f5ac7f"
SCENARIOS = "keyed-count,windows,window-columns,rows"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", default="1", help="without building")
    options = parser.parse_args()
    if not is_known(BASE):
        print(
            f"the base {BASE:.10} is not in this clone (is it a shallow one?): nothing to compare with", file=sys.stderr
        )
        return
    compare([BASE, ".", "--scenarios", SCENARIOS, "--modes", "compiled", "--minutes", options.minutes])


if __name__ == "__main__":
    main()
