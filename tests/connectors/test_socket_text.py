from __future__ import annotations

import logging
import operator
import os
import socket
from contextlib import closing, suppress

import pytest
from tests.waiting import PATIENCE, at_least, wait_until

from flott.common.typeinfo import Types
from flott.connectors.socket_receiver import SocketAddress, SocketReceiver
from flott.connectors.socket_text import SocketTextSource
from flott.errors import FlottError, GraphError, JobExecutionError

pytestmark = pytest.mark.job


class Server:
    """Accepts connections one after the other; the test says what each sends."""

    def __init__(self):
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.listening.settimeout(PATIENCE)
        self.port = self.listening.getsockname()[1]

    def accept(self):
        connection, _ = self.listening.accept()
        connection.settimeout(PATIENCE)
        return connection


@pytest.fixture
def server():
    server = Server()
    with closing(server.listening):
        yield server


@pytest.fixture
def enumerators():
    made = []
    yield made
    for enumerator in made:
        enumerator.close()


def plan_something(enumerator, scale=1.0):
    return wait_until(
        "a plan with records, or the end", lambda: enumerator.plan(scale, 0), lambda plan: not plan.empty or plan.ended
    )


def start(source, enumerators, server):
    enumerator = source.create_enumerator(1)
    enumerators.append(enumerator)
    assert enumerator.plan(1.0, 0).empty
    return enumerator, server.accept()


def read_to_the_end(source, enumerator, read):
    records, plan = [], None
    while plan is None or not plan.ended:
        plan = plan_something(enumerator)
        records += [record for part in read(source, plan) for record in part]
    return records


def test_lines_come_through_and_the_end_of_the_connection_is_the_end(server, enumerators, read):
    source = SocketTextSource("127.0.0.1", server.port)
    enumerator, connection = start(source, enumerators, server)
    with connection:
        connection.sendall("one\r\ntwo €\n\nunfin".encode())
        assert read(source, plan_something(enumerator)) == [["one", "two €", ""]]
        connection.sendall(b"ished")
    assert read_to_the_end(source, enumerator, read) == ["unfinished"]
    after = enumerator.plan(1.0, 0)
    assert (after.ended, after.empty, after.reads) == (True, True, ((),))


@pytest.mark.parametrize(("delimiter", "sent", "records"), [
    ("|", "a|b\r\n|c", ["a", "b\r\n", "c"]),
    ("--", "a---b----", ["a", "-b", ""]),
    ("€", "1€2€", ["1", "2"]),
])  # fmt: skip
def test_any_delimiter_even_cut_into_pieces(server, enumerators, read, delimiter, sent, records):
    source = SocketTextSource("127.0.0.1", server.port, delimiter)
    enumerator, connection = start(source, enumerators, server)
    with connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for byte in sent.encode():
            connection.sendall(bytes([byte]))
    assert read_to_the_end(source, enumerator, read) == records


def test_an_epoch_can_be_read_again_until_the_next_is_planned(server, enumerators, read):
    source = SocketTextSource("127.0.0.1", server.port)
    enumerator, connection = start(source, enumerators, server)
    with connection:
        connection.sendall(b"one\n")
        first = plan_something(enumerator)
        directory = first.reads[0][0].start.directory
        assert [read(source, first) for _ in range(3)] == [[["one"]]] * 3
        connection.sendall(b"two\n")
        second = plan_something(enumerator)
        assert read(source, second) == [["two"]]
        assert len(os.listdir(directory)) == 1  # noqa: PTH208
    enumerator.close()
    assert not os.path.exists(directory)  # noqa: PTH110


def test_only_the_first_subtask_reads(server, enumerators):
    enumerator = SocketTextSource("127.0.0.1", server.port).create_enumerator(3)
    enumerators.append(enumerator)
    assert [len(reads) for reads in enumerator.plan(1.0, 0).reads] == [1, 0, 0]


def test_the_log_is_kept_for_the_last_two_snapshots(server, enumerators, read):
    source = SocketTextSource("127.0.0.1", server.port)
    enumerator, connection = start(source, enumerators, server)
    states = []
    with connection:
        for number in range(6):
            states.append(enumerator.snapshot())
            connection.sendall(f"{number}\n".encode())
            assert read(source, plan_something(enumerator)) == [[str(number)]]
        enumerator.restore(states[-2])
        replayed = [read(source, enumerator.plan(1.0, 0)), read(source, enumerator.plan(1.0, 0))]
        assert replayed == [[["4"]], [["5"]]]
        connection.sendall(b"6\n")
        assert read(source, plan_something(enumerator)) == [["6"]]


def test_going_back_further_than_the_log_is_told(server, enumerators, read, caplog):
    source = SocketTextSource("127.0.0.1", server.port)
    enumerator, connection = start(source, enumerators, server)
    with connection:
        for number in range(3):
            connection.sendall(f"{number}\n".encode())
            plan_something(enumerator)
        with caplog.at_level(logging.WARNING):
            enumerator.restore(0)
        assert "4 bytes received before the restart are gone" in caplog.text
        assert read(source, enumerator.plan(1.0, 0)) == [["2"]]


def test_a_new_driver_goes_on_at_its_offset(server, enumerators, read):
    source = SocketTextSource("127.0.0.1", server.port)
    enumerator = source.create_enumerator(1)
    enumerators.append(enumerator)
    enumerator.restore(1000)
    enumerator.plan(1.0, 0)
    with server.accept() as connection:
        connection.sendall(b"x\n")
        plan = plan_something(enumerator)
        assert plan.reads[0][0].start.offset == 1000
        assert read(source, plan) == [["x"]]


def test_a_log_directory_that_all_machines_reach(server, enumerators, read, tmp_path):
    source = SocketTextSource("127.0.0.1", server.port, log_directory=str(tmp_path / "log"))
    enumerator, connection = start(source, enumerators, server)
    with connection:
        connection.sendall(b"one\n")
        plan = plan_something(enumerator)
    assert len(list((tmp_path / "log").iterdir())) == 1
    assert read(source, plan) == [["one"]]
    enumerator.close()
    assert list((tmp_path / "log").iterdir()) == []
    with pytest.raises(FlottError, match="log_directory"):
        list(source.read(plan.reads[0][0]))


def test_a_lost_connection_is_made_again_as_often_as_allowed(server, enumerators, read):
    source = SocketTextSource("127.0.0.1", server.port, max_retry=1)
    enumerator, connection = start(source, enumerators, server)
    with connection:
        connection.sendall(b"one\ntw")
    with server.accept() as connection:
        connection.sendall(b"o\n")
    assert read_to_the_end(source, enumerator, read) == ["one", "two"]


def test_nobody_listening_is_an_error_that_says_what_to_do():
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    enumerator = SocketTextSource("127.0.0.1", port).create_enumerator(1)
    with closing(enumerator), pytest.raises(JobExecutionError, match=f"nc -lk {port}"):
        plan_something(enumerator)


def fill(connection):
    """Send until the network takes no more; return how much it took."""
    sent = 0
    with suppress(BlockingIOError):
        while sent < 1 << 30:
            sent += connection.send(b"0123456789\n" * 10_000)
    return sent


def test_a_sender_has_to_wait_when_nobody_takes(server):
    receiver = SocketReceiver(SocketAddress("127.0.0.1", server.port, b"\n"), limit=1000)
    receiver.start()
    with closing(receiver), server.accept() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 16)
        connection.setblocking(False)

        def send_and_measure():
            fill(connection)
            return receiver._size

        def take_and_send():
            receiver.take(1 << 20)
            return fill(connection)

        wait_until("a receiver that holds enough", send_and_measure, at_least(1000))
        # From now on it receives nothing, so the buffers of the network fill up.
        wait_until("a sender that has to wait", lambda: fill(connection), operator.not_)
        assert receiver._size < 1000 + (2 << 16)
        wait_until("a sender that goes on", take_and_send)


def test_what_is_taken_at_once_is_bounded(server):
    receiver = SocketReceiver(SocketAddress("127.0.0.1", server.port, b"\n"), limit=1 << 20)
    receiver.start()
    with closing(receiver), server.accept() as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for number in range(5):
            connection.sendall(b"x" * 9 + b"\n")
            wait_until("the next record", lambda: len(receiver._held), at_least(number + 1))
        assert [len(receiver.take(25)), len(receiver.take(1)), len(receiver.take(100))] == [20, 10, 20]
        assert not receiver.waiting


def test_closing_does_not_wait_for_the_server(server):
    enumerator = SocketTextSource("127.0.0.1", server.port).create_enumerator(1)
    enumerator.plan(1.0, 0)
    with server.accept():
        enumerator.close()
        assert not enumerator._receiver._thread.is_alive()


def test_wrong_settings_are_refused():
    with pytest.raises(GraphError, match="port"):
        SocketTextSource("localhost", 0)
    with pytest.raises(GraphError, match="delimiter"):
        SocketTextSource("localhost", 9999, "")


def test_it_may_go_on_for_ever_and_knows_its_type():
    source = SocketTextSource("localhost", 9999)
    assert not source.is_bounded()
    assert source.get_produced_type() == Types.STRING()
