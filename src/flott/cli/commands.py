"""The commands by task: what each does, and the module that is imported only when it is called."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CommandEntry:
    """A command, without what it imports."""

    name: str
    summary: str
    """What ``flott --help`` prints: one or two lines."""
    module: str
    attribute: str


SECTIONS: dict[str, tuple[CommandEntry, ...]] = {
    "Write and run": (
        CommandEntry(
            "new",
            "Write a project: a job, a test of it without Spark, and the files to package it.",
            "flott.cli.new",
            "new",
        ),
        CommandEntry(
            "run",
            "Run a program and show its progress. -d: in the background; --pyflink: a PyFlink program.",
            "flott.cli.run",
            "run",
        ),
        CommandEntry(
            "sql",
            "Open the SQL shell, or run statements from -e or a file.",
            "flott.cli.sql",
            "sql",
        ),
        CommandEntry(
            "plan",
            "Draw the job graph of a program as text, SVG, Mermaid or JSON, without running it.",
            "flott.cli.plan",
            "plan",
        ),
    ),
    "Look at jobs": (
        CommandEntry("list", "List the jobs of this user on this machine.", "flott.cli.jobs", "list_jobs"),
        CommandEntry(
            "info",
            "Show one job: status, last failure, vertices with rates, busy time and watermarks.",
            "flott.cli.jobs",
            "info",
        ),
        CommandEntry(
            "checkpoints",
            "List the checkpoints of a job, newest first, with duration, size and path.",
            "flott.cli.jobs",
            "checkpoints",
        ),
        CommandEntry(
            "state",
            "List and read the keyed state in a savepoint or checkpoint.",
            "flott.cli.state",
            "state",
        ),
    ),
    "Steer jobs": (
        CommandEntry(
            "savepoint", "Take a savepoint of a running job; the job goes on.", "flott.cli.steer", "savepoint"
        ),
        CommandEntry("stop", "Stop a job with a savepoint that it can be restored from.", "flott.cli.steer", "stop"),
        CommandEntry("cancel", "Cancel a job at once, without a savepoint.", "flott.cli.steer", "cancel"),
    ),
    "Set up": (
        CommandEntry(
            "doctor",
            "Check Python, Java, Spark and the directories that Flott uses, and say how to fix what is missing.",
            "flott.cli.doctor",
            "doctor",
        ),
        CommandEntry(
            "completion", "Print the completion script for bash, zsh or fish.", "flott.cli.completion", "completion"
        ),
    ),
}

COMMANDS: dict[str, CommandEntry] = {entry.name: entry for entries in SECTIONS.values() for entry in entries}
