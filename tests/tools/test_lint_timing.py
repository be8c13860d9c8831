from __future__ import annotations

from textwrap import dedent

import pytest

from lint_timing import ADVICE, lint, main


@pytest.fixture
def findings_of(tmp_path):
    """Writes one test file into an empty repository and lints it."""

    def write_and_lint(text, file="tests/test_window.py"):
        path = tmp_path / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text), encoding="utf-8")
        return lint(tmp_path)

    return write_and_lint


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("time.sleep(0.1)", "pause time.sleep"),
        ("asyncio.sleep(1)", "pause asyncio.sleep"),
        ("threading.Event().wait(5)", "pause threading.Event().wait(5)"),
        ("deadline = time.monotonic() + 60", "clock time.monotonic"),
        ("assert time.perf_counter() - begun < 2", "clock time.perf_counter"),
        ("datetime.datetime.now()", "clock datetime.datetime.now"),
        ("over.wait(0.1)", "timeout over.wait(0.1)"),
        ("thread.join(timeout=0.5)", "timeout thread.join(timeout=0.5)"),
        ("connection.settimeout(0.3)", "timeout connection.settimeout(0.3)"),
        ("future.result(0.5)", "timeout future.result(0.5)"),
        ("messages.get(timeout=0.2)", "timeout messages.get(timeout=0.2)"),
        ("wait(futures, timeout=1 / 10)", "timeout wait(futures, timeout=1 / 10)"),
        ("select.select([pipe], [], [], 0.1)", "timeout select.select([pipe], [], [], 0.1)"),
        ("threading.Timer(0.2, client.cancel).start()", "pause threading.Timer"),
        ("getattr(time, 'sleep')(1)", "pause getattr(time, 'sleep')"),
        ("subprocess.run(['sleep', '5'])", "pause ['sleep', '5']"),
        ("run('start-server & sleep 2')", "pause 'start-server & sleep 2'"),
        ("run([python, '-c', 'import time; time.sleep(9)'])", "pause 'import time; time.sleep(9)'"),
        ("begun = time.process_time()", "clock time.process_time"),
        ("day = time.localtime().tm_mday", "clock time.localtime"),
        ("begun = asyncio.get_running_loop().time()", "clock asyncio.get_running_loop().time()"),
        ("now = pd.Timestamp('now')", "clock pd.Timestamp('now')"),
        ("assert result.get_net_runtime() < 2000", "duration result.get_net_runtime() < 2000"),
        ("assert (end - begin).total_seconds() < 3", "duration (end - begin).total_seconds() < 3"),
        ("assert 5 >= elapsed", "duration 5 >= elapsed"),
        ("def eventually(look): ...", "waiter def eventually(look):"),
    ],
)
def test_pauses_clocks_and_short_timeouts_are_found(findings_of, line, what):
    [finding] = findings_of(f"import asyncio, datetime, threading, time\n\n{line}\n")
    assert finding.startswith(f"tests/test_window.py:3: timing: {what}; ")
    assert finding.endswith(ADVICE[what.partition(" ")[0]])


def test_the_name_of_a_short_timeout_hides_nothing(findings_of):
    [finding] = findings_of("SHORT = 0.5\n\nreached.wait(SHORT)\n")
    assert finding.startswith("tests/test_window.py:3: timing: timeout reached.wait(SHORT); ")


def test_names_that_were_imported_are_found(findings_of):
    assert len(findings_of("from time import monotonic as now, sleep\n")) == 2


@pytest.mark.parametrize(
    "line",
    [
        "asyncio.sleep(0)",
        "asyncio.Event().wait()",
        "reached.wait(PATIENCE)",
        "process.wait(120)",
        "', '.join(words)",
        "monkeypatch.setattr(transactions.time, 'sleep', waits.append)",
        "clock.now()",
        "done.set_result(True)",
        "future.result(timeout=10)",
        "assert result.get_net_runtime() >= 0",
        "assert 0 <= took",
        "monkeypatch.setattr('time.sleep', waits.append)",
        "split.select('even', 'third')",
        "'it sleeps 5 minutes, and a sleep of 2 is refused'",
        "record.time()",
    ],
)
def test_what_takes_no_time_or_waits_for_something_is_fine(findings_of, line):
    assert findings_of(f"import asyncio\n\n{line}\n") == []


def test_the_one_place_may_pause_and_an_exception_that_is_not_needed_is_found(findings_of):
    waits = "import time\n\ndef wait_until(what): time.sleep(1)\n"
    assert findings_of(f"{waits}\ntime.monotonic()\n", "tests/waiting.py") == []
    [finding] = findings_of(waits, "tests/waiting.py")
    assert finding == "tests/waiting.py:1: timing: no clock here; remove it from EXCEPTIONS in lint_timing.py"


def test_the_command_prints_findings_and_fails(findings_of, tmp_path, capsys):
    findings = findings_of("import time\ntime.sleep(1)\n")
    assert main([str(tmp_path)]) == 1
    assert capsys.readouterr().out.splitlines() == findings


def test_the_command_passes_when_nothing_takes_time(findings_of, tmp_path, capsys):
    findings_of("x = 1")
    assert main([str(tmp_path)]) == 0
    assert capsys.readouterr().out == "timing: ok\n"


def test_the_command_refuses_a_folder_that_is_no_repository(tmp_path, capsys):
    assert main([str(tmp_path)]) == 2
    assert "has no tests" in capsys.readouterr().err
