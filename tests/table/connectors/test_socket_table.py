"""Rows that a server sends."""

from __future__ import annotations

import socket
from threading import Thread

import pytest

from flott.errors import FlottError

pytestmark = pytest.mark.job


def serve(text):
    server = socket.create_server(("localhost", 0))

    def send():
        connection, _ = server.accept()
        connection.sendall(text)
        connection.close()
        server.close()

    Thread(target=send, daemon=True).start()
    return server.getsockname()[1]


def test_reads_lines(t_env):
    port = serve(b'{"id": 1, "name": "a"}\n{"id": 2}\n')
    t_env.execute_sql(
        f"CREATE TABLE t (id INT, name STRING) WITH ('connector' = 'socket', 'port' = '{port}', 'format' = 'json')"
    )
    with t_env.execute_sql("SELECT name, id * 10 FROM t").collect() as rows:
        assert list(map(tuple, rows)) == [("a", 10), (None, 20)]


def test_mistakes(t_env):
    t_env.execute_sql("CREATE TABLE t (id INT) WITH ('connector' = 'socket', 'port' = '1', 'format' = 'parquet')")
    with pytest.raises(FlottError, match="there is no format 'parquet'"):
        t_env.execute_sql("SELECT * FROM t")
