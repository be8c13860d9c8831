"""Tells a job's metrics again and again while it runs: to a log, or to a file for Prometheus' textfile collector."""

from __future__ import annotations

import logging
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from flott.common.options.metrics import MetricOptions
from flott.errors import ConfigurationError
from flott.metrics.flat import flat, text
from flott.metrics.prometheus import render
from flott.metrics.samples import Sample

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flott.common import Configuration
    from flott.metrics.job_metrics import JobMetrics

log = logging.getLogger("flott.metrics")
report_log = logging.getLogger("flott.metrics.report")


class Reporter:
    """Calls a function with the metrics at intervals, in a thread of its own, and once more at the end."""

    def __init__(self, metrics: JobMetrics, tell: Callable[[JobMetrics], None], interval: float) -> None:
        self._metrics = metrics
        self._tell = tell
        self._interval = interval
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="flott-metrics", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """Tell the last values and end."""
        self._over.set()
        if self._thread is not threading.current_thread():
            self._thread.join()

    def _run(self) -> None:
        over = False
        while not over:
            over = self._over.wait(self._interval)
            try:
                self._tell(self._metrics)
            except Exception as error:  # noqa: BLE001 - a full disk must not end a job, nor its reports
                log.warning("metrics could not be reported: %s", error)


def reporters_of(configuration: Configuration, metrics: JobMetrics) -> list[Reporter]:
    """Make the reporters that the configuration asks for."""
    made = []
    for name in configuration.get_optional(MetricOptions.REPORTERS) or ():
        if name == "log":
            interval = configuration.get(MetricOptions.REPORTER_LOG_INTERVAL)
            tell: Callable[[JobMetrics], None] = log_metrics
        elif name == "file":
            interval = configuration.get(MetricOptions.REPORTER_FILE_INTERVAL)
            tell = FileReport(path_of(configuration))
        else:
            message = f"{MetricOptions.REPORTERS.key} names '{name}'; there are log and file"
            raise ConfigurationError(message)
        made.append(Reporter(metrics, tell, interval.to_millis() / 1000))
    return made


def path_of(configuration: Configuration) -> Path:
    """Return where the file reporter writes to."""
    path = configuration.get_optional(MetricOptions.REPORTER_FILE_PATH)
    if path is None:
        message = f"{MetricOptions.REPORTERS.key} names file: set {MetricOptions.REPORTER_FILE_PATH.key} as well"
        raise ConfigurationError(message)
    return Path(path)


def log_metrics(metrics: JobMetrics) -> None:
    """Log one line for the job and each subtask and operator."""
    for line in lines_of(metrics):
        report_log.info("%s", line)


def lines_of(metrics: JobMetrics) -> Iterator[str]:
    """Yield what the log says: whose metrics, then name=value."""
    scopes: dict[str, list[str]] = {}
    for sample in metrics.samples():
        bare = Sample(sample.name, sample.value)
        scopes.setdefault(title(metrics, sample), []).extend(f"{name}={text(value)}" for name, value in flat(bare))
    for scope, values in scopes.items():
        yield f"{scope}: {' '.join(values)}"


def title(metrics: JobMetrics, sample: Sample) -> str:
    """Say whose metric it is."""
    told = f"job '{metrics.plan.job_name}'"
    if sample.vertex is not None:
        told += f" vertex '{sample.vertex.name}' subtask {sample.subtask}"
    return told if sample.operator is None else f"{told} operator '{sample.operator.name}'"


class FileReport:
    """Writes the metrics as Prometheus' text into a file that is always whole."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __call__(self, metrics: JobMetrics) -> None:
        """Write the file anew."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        beside = self.path.with_name(f".{self.path.name}.{metrics.plan.job_id}")
        beside.write_text(render([metrics]), encoding="utf-8")
        beside.replace(self.path)
