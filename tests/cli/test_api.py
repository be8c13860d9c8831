from __future__ import annotations

import socket
from threading import Thread

import pytest

from flott.cli.api import Api, UnreachableError


def test_a_driver_that_ends_in_the_middle_of_an_answer_does_not_answer():
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer():
            connection, _ = server.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")

        thread = Thread(target=answer)
        thread.start()
        with pytest.raises(UnreachableError, match="does not answer"):
            Api(f"http://127.0.0.1:{server.getsockname()[1]}").get("/jobs")
        thread.join()
