"""``flott sql``: files, the command line, and a terminal."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.waiting import PATIENCE, wait_until

from flott.cli.detached import NoJobError
from flott.cli.live_table import LiveTable
from flott.cli.main import main
from flott.cli.sql_jobs import DetachedInserts
from flott.cli.sql_prompt import is_complete, words_of
from flott.cli.sql_script import statements_of
from flott.cli.sql_session import SqlSession
from flott.common.types import Row, RowKind
from flott.errors import FlottError
from flott.rest.registry import registered_jobs
from flott.table import TableEnvironment
from flott.table.standing_rows import StandingRows

HERE = ["-D", "flott.execution.target=in-process", "-p", "1"]
ROOT = Path(__file__).parent.parent.parent
TABLE = (
    "CREATE TABLE t (city STRING, n INT) WITH ('connector' = 'values', 'batch-size' = '1', "
    "'data' = '[[\"Bonn\", 1], [\"Bonn\", 2]]');\n"
)
QUERY = "SELECT city, SUM(n) AS total FROM t GROUP BY city;"


@pytest.fixture(autouse=True)
def _no_job_outlives_a_test(registry):
    yield
    for job in registered_jobs(registry):
        if not job.is_over and job.pid != os.getpid():
            os.kill(job.pid, signal.SIGKILL)


def run(*arguments, **options):
    return CliRunner().invoke(main, ["sql", *HERE, *arguments], **options)


def test_statements():
    text = "SELECT 'a;b'; -- no;\n\n  SELECT `x;`;; /* ; */"
    found = statements_of(text)
    assert [one.bare for one in found] == ["SELECT 'a;b'", "-- no;\n\n  SELECT `x;`"]
    assert found[1].text.index("SELECT") == text.rindex("SELECT")
    sets = statements_of("EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT 1; INSERT INTO b SELECT 2; END; SELECT 1")
    assert [one.finished for one in sets] == [True, False]


def test_enter_runs_what_is_complete():
    assert [is_complete(text) for text in ("SELECT 1;", "quit", "", "SELECT 1", "SELECT ';")] == [
        True, True, True, False, False,
    ]  # fmt: skip


def test_completion_knows_the_catalog():
    t_env = TableEnvironment.create()
    t_env.execute_sql(TABLE)
    assert {"t", "city", "SELECT", "UPPER", "SUM"} <= set(words_of(t_env))


def test_rows_that_stand():
    rows = StandingRows()
    for kind, cell in [("INSERT", "a"), ("INSERT", "a"), ("INSERT", "b"), ("UPDATE_BEFORE", "a"), ("DELETE", "x")]:
        rows.change(RowKind[kind], [cell])
    assert rows.shown(5) == [["a"], ["b"]]
    assert rows.shown(1) == [["b"]]


def standing_after(*changes):
    rows = StandingRows()
    for kind, cell in changes:
        rows.change(RowKind[kind], [cell])
    return rows.shown(9), len(rows)


def test_an_updated_row_keeps_its_place():
    two = [("INSERT", "a1"), ("INSERT", "b1")]
    assert standing_after(*two, ("UPDATE_BEFORE", "a1"), ("UPDATE_AFTER", "a2")) == ([["a2"], ["b1"]], 2)
    # A condition on the result lets only the half through that holds: the row is gone, or new.
    assert standing_after(*two, ("UPDATE_BEFORE", "a1")) == ([["b1"]], 1)
    assert standing_after(*two, ("UPDATE_BEFORE", "a1"), ("INSERT", "c1")) == ([["b1"], ["c1"]], 2)
    gone = [("UPDATE_BEFORE", "a1"), ("UPDATE_BEFORE", "b1"), ("UPDATE_AFTER", "b2"), ("UPDATE_AFTER", "c1")]
    assert standing_after(*two, *gone) == ([["b2"], ["c1"]], 2)
    assert standing_after(("UPDATE_AFTER", "a"), ("UPDATE_BEFORE", "x"), ("UPDATE_AFTER", "b")) == ([["a"], ["b"]], 2)


@pytest.mark.job
def test_a_line_for_each_change():
    result = run("-e", TABLE + QUERY)
    assert result.output.splitlines() == ["OK", "+I[Bonn, 1]", "-U[Bonn, 1]", "+U[Bonn, 3]"]
    assert run(input=TABLE + QUERY).output == result.output


@pytest.mark.job
def test_json_for_other_programs():
    values = "SELECT ARRAY[1, 2] AS a, ROW(1, 'x') AS r, CAST(1.5 AS DECIMAL(3, 2)) AS d, CAST(NULL AS INT) AS n;"
    result = run("--json", "-e", f"{TABLE}SHOW TABLES;{QUERY}{values}")
    assert [json.loads(line) for line in result.output.splitlines()] == [
        {"result": "OK"},
        {"row": {"table name": "t"}},
        {"op": "+I", "row": {"city": "Bonn", "total": 1}},
        {"op": "-U", "row": {"city": "Bonn", "total": 1}},
        {"op": "+U", "row": {"city": "Bonn", "total": 3}},
        {"op": "+I", "row": {"a": [1, 2], "r": {"EXPR$0": 1, "EXPR$1": "x"}, "d": "1.50", "n": None}},
    ]


@pytest.mark.job
def test_a_file(tmp_path):
    path = tmp_path / "script.sql"
    files = f"WITH ('connector' = 'filesystem', 'format' = 'csv', 'path' = '{tmp_path}/out')"
    insert = f"CREATE TABLE out (city STRING) {files};\nINSERT INTO out SELECT city FROM t;"  # noqa: S608 - our own words
    path.write_text(f"{TABLE}{insert}\nSHOW TABLES;\nEXPLAIN {QUERY}")
    result = run("-f", str(path))
    assert result.exit_code == 0, result.output
    assert "has been started" in result.output
    assert "| table name |" in result.output
    assert "== Physical Plan ==" in result.output
    assert [line for part in (tmp_path / "out").glob("part-*") for line in part.read_text().split()] == ["Bonn", "Bonn"]


@pytest.mark.job
def test_mistakes_have_a_line_and_a_column(tmp_path):
    path = tmp_path / "script.sql"
    path.write_text(f"{TABLE}\nSELECT citi\nFROM t; SELECT 1")
    result = run("-f", str(path))
    assert result.exit_code == 1
    assert f"Error: {path}: line 3, column 8: column 'citi' not found; did you mean 'city'?" in result.output
    path.write_text("SELECT 1;\n\nSELECT city FROM\n WHERE")
    assert f"Error: {path}: line 4, column 2: Expected table name, at 'WHERE'\n" in run("-f", str(path)).output
    assert "give either -f or -e" in run("-f", str(path), "-e", "x").output


class Terminal:
    """``flott sql`` on a terminal of its own."""

    def __init__(self, folder):
        self._master, slave = pty.openpty()
        environment = {
            **os.environ, "PYTHONPATH": str(ROOT / "src"), "TERM": "xterm", "PROMPT_TOOLKIT_NO_CPR": "1",
            "FLOTT_SQL_HISTORY": str(folder / "history"), "COLUMNS": "80", "LINES": "40",
        }  # fmt: skip
        command = [sys.executable, "-m", "flott.cli.main", "sql", *HERE]
        self.process = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, env=environment)
        os.close(slave)
        self.seen = ""

    def wait_for(self, text):
        wait_until(f"{text!r} on the terminal", self._read, lambda seen: text in seen)
        before, self.seen = self.seen.split(text, 1)
        return before

    def _read(self):
        if select.select([self._master], [], [], 0)[0]:
            self.seen += os.read(self._master, 65536).decode(errors="replace")
        return self.seen

    def type(self, text):
        os.write(self._master, text.encode())

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self._master)


@pytest.mark.job
@pytest.mark.slow
def test_a_terminal(tmp_path):
    terminal = Terminal(tmp_path)
    try:
        terminal.wait_for("flott>")
        terminal.type(TABLE.replace("\n", "\r"))
        terminal.wait_for("OK")
        terminal.wait_for("flott>")
        terminal.type("SELECT citi FROM t;\r")
        terminal.wait_for("did you mean 'city'?")
        terminal.wait_for("flott>")
        terminal.type(QUERY.replace(" FROM", "\rFROM") + "\r")
        terminal.wait_for("| total |")
        terminal.wait_for("|     3 |")
        terminal.wait_for("1 row in set")
        terminal.wait_for("flott>")
        terminal.type("help\r")
        terminal.wait_for("STOP JOB 'id'")
        terminal.wait_for("flott>")
        terminal.type("CREATE TABLE g (n BIGINT) WITH ('connector' = 'datagen', 'rows-per-second' = '100');\r")
        terminal.wait_for("OK")
        terminal.wait_for("flott>")
        terminal.type("SELECT COUNT(*) AS rows_so_far FROM g;\r")
        terminal.wait_for("| rows_so_far |")
        terminal.wait_for("Ctrl-C ends the query.")
        terminal.process.send_signal(signal.SIGINT)
        terminal.wait_for("The query was ended.")
        terminal.wait_for("flott>")
        terminal.type("quit\r")
        assert terminal.process.wait(PATIENCE) == 0
    finally:
        terminal.close()
    assert "SUM(n) AS total" in (tmp_path / "history").read_text()


class Screen(StringIO):
    """What stands on a terminal that understands going up, and deleting from there."""

    def lines(self):
        lines = [""]
        for part in re.split(r"(\x1b\[\d+A\x1b\[J)", self.getvalue()):
            up = re.fullmatch(r"\x1b\[(\d+)A\x1b\[J", part)
            if up:
                del lines[-1 - int(up[1]) :]
                lines.append("")
            else:
                first, *more = part.split("\n")
                lines[-1] += first
                lines += more
        return lines[:-1]


@pytest.mark.job
def test_a_query_on_a_terminal_says_how_it_runs():
    env = TableEnvironment.create()
    env.get_config().set("flott.execution.target", "in-process")
    env.execute_sql(TABLE)
    seconds = iter([0.0, 2.0, 4.0, 6.0])
    screen = Screen()
    table = LiveTable(env.execute_sql(QUERY), screen, clock=lambda: next(seconds))
    table.draw()
    assert screen.lines()[-2:] == [
        "Empty set", "Running for 2.0 s: 0 changes, 0 rows/s. Ctrl-C ends the query.",
    ]  # fmt: skip
    for kind, city, total in [(RowKind.INSERT, "Bonn", 1), (RowKind.INSERT, "Köln", 10)]:
        row = Row(city, total)
        row.set_row_kind(kind)
        table.take(row)
    table.draw()
    rows = [
        "+------+-------+",
        "| city | total |",
        "+------+-------+",
        "| Bonn |     1 |",
        "| Köln |    10 |",
        "+------+-------+",
        "2 rows in set",
    ]
    assert screen.lines() == [*rows, "Running for 4.0 s: 2 changes, 0.5 rows/s. Ctrl-C ends the query."]
    table.draw()
    assert screen.lines() == [*rows, "Running for 6.0 s: 2 changes, 0.3 rows/s. Ctrl-C ends the query."]
    table.draw(over=True)
    assert screen.lines() == rows
    table.close()


@pytest.mark.job
def test_texts_are_left_and_numbers_right():
    wide = "CREATE TABLE a_table_with_a_long_name (n INT) WITH ('connector' = 'blackhole');"
    assert "\n| t                        |\n" in run("-e", f"{TABLE}{wide}SHOW TABLES").output


def test_help():
    result = run("-e", "help")
    assert result.exit_code == 0
    assert "STOP JOB 'id'" in result.output
    assert is_complete("help")
    assert run("--json", "-e", "HELP;").output == result.output


def lines_in(folder):
    return sum(len(file.read_text().splitlines()) for file in folder.glob("part-*"))


@pytest.mark.job
@pytest.mark.slow
def test_an_insert_lives_on_when_the_shell_is_killed(tmp_path, monkeypatch):
    monkeypatch.setenv("FLOTT_REGISTRY_DIR", str(tmp_path / "registry" / "jobs"))
    out = tmp_path / "out"
    terminal = Terminal(tmp_path)
    try:
        for statement in (
            "SET 'execution.checkpointing.interval' = '100 ms'",
            "CREATE TABLE g (n BIGINT) WITH ('connector' = 'datagen', 'rows-per-second' = '200')",
            f"CREATE TABLE o (n BIGINT) WITH ('connector' = 'filesystem', 'path' = '{out}', 'format' = 'csv')",
        ):
            terminal.wait_for("flott>")
            terminal.type(f"{statement};\n")
            terminal.wait_for("OK")
        terminal.wait_for("flott>")
        terminal.type("INSERT INTO o SELECT m FROM g;\n")
        terminal.wait_for("column 'm' not found")  # found here, before a process is started
        terminal.wait_for("flott>")
        terminal.type("INSERT INTO o SELECT n FROM g;\n")
        terminal.wait_for("Its output goes to")
        terminal.wait_for("flott>")
        terminal.type("SHOW JOBS;\n")
        terminal.wait_for("RUNNING")
    finally:
        terminal.close()  # kill -9
    before = lines_in(out)
    wait_until("more rows than the shell has seen", lambda: lines_in(out), lambda lines: lines > before + 200)
    [job] = [json.loads(line) for line in CliRunner().invoke(main, ["list", "--json"]).output.splitlines()]
    assert job["status"] == "RUNNING"
    said = StringIO()
    SqlSession(said).run(statements_of(f"STOP JOB '{job['jid']}'")[0])
    assert said.getvalue() == f"Job {job['jid']} is CANCELED.\n"
    wait_until("the end of the job", lambda: CliRunner().invoke(main, ["list"]).output, lambda text: "No jobs" in text)


def shell(said):
    return SqlSession(said, detached=DetachedInserts(HERE))


def enter(session, text):
    for statement in statements_of(text):
        session.run(statement)


def running_jobs():
    return [json.loads(line)["jid"] for line in CliRunner().invoke(main, ["list", "--json"]).output.splitlines()]


def numbers_in(folder, *tables):
    files = [file for table in tables for file in (folder / table).glob("part-*")]
    return sorted(int(line) for file in files for line in file.read_text().split())


def files_that_name(text, folder):
    return [file for file in folder.rglob("*") if file.is_file() and text.encode() in file.read_bytes()]


@pytest.mark.job
@pytest.mark.slow
def test_what_the_session_has_typed_is_in_no_file(tmp_path):
    said, out = StringIO(), tmp_path / "out"
    session = shell(said)
    values = """WITH ('connector' = 'values', 'data' = '[["pässword"]]')"""
    enter(session, f"CREATE TABLE s (word STRING) {values}")
    enter(session, "CREATE VIEW v AS SELECT word FROM s")
    enter(session, "CREATE TABLE g (n BIGINT) WITH ('connector' = 'datagen', 'rows-per-second' = '1')")
    files = f"WITH ('connector' = 'filesystem', 'path' = '{out}', 'format' = 'csv')"
    enter(session, f"CREATE TABLE o (word STRING) {files}")
    logs = tmp_path / "registry" / "logs"
    enter(session, "INSERT INTO o SELECT * FROM v UNION ALL SELECT CAST(n AS STRING) FROM g")
    wait_until("the row of the table", lambda: lines_in(out))
    assert files_that_name("pässword", out)
    assert [file.suffix for file in logs.iterdir()] == [".log"]
    assert files_that_name("pässword", tmp_path / "registry") == []
    [job] = running_jobs()
    enter(session, f"STOP JOB '{job}'")
    with pytest.raises(NoJobError, match="OVERWRITE"):
        enter(session, "INSERT OVERWRITE o SELECT word FROM s")
    assert {file.suffix for file in logs.iterdir()} == {".log"}
    assert files_that_name("pässword", tmp_path / "registry") == []


@pytest.mark.job
@pytest.mark.slow
def test_a_set_of_inserts_ends_with_a_savepoint_and_goes_on_from_it(tmp_path):
    said = StringIO()
    session = shell(said)
    tables = (
        "CREATE TABLE g (n BIGINT) WITH ('connector' = 'datagen', 'rows-per-second' = '200', "
        "'fields.n.kind' = 'sequence', 'fields.n.start' = '0', 'fields.n.end' = '1000000000');"
    ) + "".join(
        f"CREATE TABLE {name} (n BIGINT) WITH ('connector' = 'filesystem', 'path' = '{tmp_path / name}', "
        "'format' = 'csv');" for name in ("odd", "even")
    )  # fmt: skip
    inserts = (
        "BEGIN STATEMENT SET; INSERT INTO odd SELECT n FROM g WHERE MOD(n, 2) = 1; "
        "INSERT INTO even SELECT n FROM g WHERE MOD(n, 2) = 0; END;"
    )
    enter(session, "SET 'execution.checkpointing.interval' = '100 ms';" + tables)
    with pytest.raises(FlottError, match="column 'm' not found"):  # before a process is started
        enter(session, inserts.replace("SELECT n FROM g WHERE MOD(n, 2) = 0", "SELECT m FROM g"))
    assert not (tmp_path / "registry" / "logs").exists()
    enter(session, inserts)
    wait_until("rows of both INSERTs", lambda: all(lines_in(tmp_path / name) for name in ("odd", "even")))
    [job] = running_jobs()
    enter(session, "SHOW JOBS")
    shown = (
        f"| {job} | insert-into_default_catalog.default_database.odd,default_catalog.default_database.even | RUNNING |"
    )
    assert shown in said.getvalue()
    with pytest.raises(SystemExit):  # nobody has said where savepoints go
        enter(session, f"STOP JOB '{job}' WITH SAVEPOINT")
    assert running_jobs() == [job]
    enter(session, f"STOP JOB '{job}'")
    assert said.getvalue().endswith(f"Job {job} is CANCELED.\n")

    enter(session, f"SET 'execution.checkpointing.savepoint-dir' = '{tmp_path / 'savepoints'}'")
    for name in ("odd", "even"):
        shutil.rmtree(tmp_path / name)
    for _ in range(2):
        rows = len(numbers_in(tmp_path, "odd", "even"))
        enter(session, inserts)
        wait_until("more rows", lambda: len(numbers_in(tmp_path, "odd", "even")), lambda seen, rows=rows: seen > rows)
        [job] = running_jobs()
        enter(session, f"STOP JOB '{job}' WITH SAVEPOINT")
        job_said, _, savepoint = said.getvalue().splitlines()[-1].rpartition(" Savepoint: ")
        assert job_said == f"Job {job} is FINISHED."
        enter(session, f"SET 'execution.state-recovery.path' = '{savepoint}'")
        found = numbers_in(tmp_path, "odd", "even")
        assert found == list(range(len(found)))
        assert {number % 2 for number in numbers_in(tmp_path, "odd")} == {1}
