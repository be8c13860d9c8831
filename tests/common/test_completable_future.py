from __future__ import annotations

import concurrent.futures
from concurrent.futures import CancelledError, Future
from threading import Thread

import pytest

from flott.common import CompletableFuture


def test_it_is_completed_once():
    future = CompletableFuture()
    assert not future.done()
    assert future.exception() is None  # and did not wait
    assert future.complete(1)
    assert not future.complete(2)
    assert not future.complete_exceptionally(ValueError())
    assert not future.cancel()
    assert (future.result(), future.done(), future.cancelled(), future.exception()) == (1, True, False, None)


def test_it_may_fail():
    error = ValueError("broken")
    future = CompletableFuture.failed_future(error)
    assert future.done()
    assert future.exception() is error
    with pytest.raises(ValueError, match="broken"):
        future.result()


def test_it_may_be_cancelled():
    future = CompletableFuture()
    assert future.cancel()
    assert future.cancel()
    assert future.cancelled()
    assert future.done()
    assert isinstance(future.exception(), CancelledError)
    assert not future.complete(1)
    with pytest.raises(CancelledError):
        future.result()


def test_waiting_ends_when_another_thread_completes_it():
    future = CompletableFuture()
    thread = Thread(target=future.complete, args=("here",))
    thread.start()
    assert future.result(timeout=10) == "here"
    thread.join()


def test_waiting_has_a_limit():
    with pytest.raises(concurrent.futures.TimeoutError):
        CompletableFuture().result(timeout=0)


def test_over_a_future_of_an_executor():
    source = Future()
    future = CompletableFuture(source)
    source.set_result(5)
    assert future.result() == 5
    failing = Future()
    failing.set_exception(KeyError("k"))
    assert isinstance(CompletableFuture(failing).exception(), KeyError)
    cancelled = Future()
    cancelled.cancel()
    cancelled.set_running_or_notify_cancel()
    assert CompletableFuture(cancelled).cancelled()


def test_it_can_be_cancelled_while_the_work_is_running():
    source = Future()
    source.set_running_or_notify_cancel()
    future = CompletableFuture(source)
    assert not source.cancel()
    assert future.cancel()
    source.set_result(1)
    assert future.cancelled()


def test_then_apply():
    source = CompletableFuture()
    doubled = source.then_apply(lambda value: value * 2)
    assert not doubled.done()
    source.complete(21)
    assert doubled.result() == 42
    assert isinstance(CompletableFuture.completed_future(0).then_apply(lambda n: 1 / n).exception(), ZeroDivisionError)
    error = ValueError()
    assert CompletableFuture.failed_future(error).then_apply(str).exception() is error
    cancelled = CompletableFuture()
    applied = cancelled.then_apply(str)
    cancelled.cancel()
    assert applied.cancelled()


def test_callbacks():
    seen = []
    future = CompletableFuture()
    future.add_done_callback(lambda done: seen.append(done.result()))
    future.complete(1)
    future.add_done_callback(lambda done: seen.append(done.result()))
    assert seen == [1, 1]


def test_how_it_looks():
    cancelled = CompletableFuture()
    cancelled.cancel()
    assert str(CompletableFuture()) == "CompletableFuture[not completed]"
    assert str(CompletableFuture.completed_future(1)) == "CompletableFuture[completed]"
    assert str(CompletableFuture.failed_future(ValueError("x"))) == "CompletableFuture[failed: ValueError('x')]"
    assert str(cancelled) == "CompletableFuture[cancelled]"
