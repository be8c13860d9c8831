"""The driver's log: one line per event, with the job and the epoch it belongs to, as text or as JSON."""

from __future__ import annotations

import json
import logging
from contextvars import ContextVar
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flott.common.options.logs import LogOptions

if TYPE_CHECKING:
    from flott.common import Configuration

ROOT = logging.getLogger("flott")

# A job has a thread of its own, and so has each of these.
_job: ContextVar[tuple[str, str] | None] = ContextVar("flott_job", default=None)
_epoch: ContextVar[int | None] = ContextVar("flott_epoch", default=None)


def enter_job(job_id: str, name: str) -> None:
    """What this thread logs from now on is about a job."""
    _job.set((job_id, name))


def enter_epoch(number: int) -> None:
    """What this thread logs from now on is about an epoch."""
    _epoch.set(number)


def told(record: logging.LogRecord) -> dict[str, Any]:
    """Return an event as fields."""
    moment = datetime.fromtimestamp(record.created, timezone.utc)
    fields: dict[str, Any] = {
        "time": moment.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "level": record.levelname,
        "logger": record.name,
        "message": record.getMessage(),
    }
    job, epoch = _job.get(), _epoch.get()
    if job is not None:
        fields["job_id"], fields["job_name"] = job
        if epoch is not None:
            fields["epoch"] = epoch
    return fields


class JsonLines(logging.Formatter):
    """One JSON object per event.

    >>> record = logging.LogRecord("flott.job", logging.INFO, "", 0, "job '%s' runs", ("a",), None)
    >>> json.loads(JsonLines().format(record))["message"]
    "job 'a' runs"
    """

    def format(self, record: logging.LogRecord) -> str:
        fields = told(record)
        if record.exc_info:
            fields["trace"] = self.formatException(record.exc_info)
        return json.dumps(fields, ensure_ascii=False, default=str)


class TextLines(logging.Formatter):
    """One line of text per event; what has several lines, as errors of user functions have, is put into one."""

    def format(self, record: logging.LogRecord) -> str:
        fields = told(record)
        where = ""
        if "job_name" in fields:
            where = f" [{fields['job_name']} {fields['job_id'][:8]}"
            where += f" epoch {fields['epoch']}]" if "epoch" in fields else "]"
        message = fields["message"]
        if record.exc_info:
            message += "\n" + self.formatException(record.exc_info)
        lines = " | ".join(line.strip() for line in message.splitlines() if line.strip())
        return f"{fields['time']} {fields['level']:<7} {fields['logger']}{where}: {lines}"


def set_up_logging(configuration: Configuration) -> None:
    """Let Flott log by itself, if the configuration asks for that; asked again, it logs as was asked last."""
    form = configuration.get_optional(LogOptions.FORMAT)
    if form is None:
        return
    path = configuration.get_optional(LogOptions.FILE)
    handler: logging.Handler
    if path is None:
        handler = logging.StreamHandler()
    else:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        handler = logging.FileHandler(path, encoding="utf-8")
    handler.setFormatter(JsonLines() if form == "json" else TextLines())
    handler.set_name(OURS)
    for before in [one for one in ROOT.handlers if one.get_name() == OURS]:
        ROOT.removeHandler(before)
        before.close()
    ROOT.addHandler(handler)
    ROOT.setLevel(configuration.get(LogOptions.LEVEL))
    ROOT.propagate = False  # else handlers of the program would write each line once more


OURS = "flott-lines"
