"""librdkafka's mock cluster in a process of its own: prints its address, lives until its input is closed.

It keeps no transactions apart: what is written shows at once, committed or not. Tests that need them use broker.py.
"""

from __future__ import annotations

import sys

from confluent_kafka import Producer


def main():
    cluster = Producer({"test.mock.num.brokers": 1, "log_level": 2})
    brokers = cluster.list_topics(timeout=60).brokers.values()
    sys.stdout.write(",".join(f"{broker.host}:{broker.port}" for broker in brokers) + "\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    main()
