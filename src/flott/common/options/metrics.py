"""Options of who is told a job's metrics."""

from __future__ import annotations

from flott.common.config_options import ConfigOptions
from flott.common.time import Duration

__all__ = ["MetricOptions"]


class MetricOptions:
    """Options of who is told a job's metrics."""

    REPORTERS = (
        ConfigOptions.key("metrics.reporters")
        .string_type()
        .as_list()
        .no_default_value()
        .with_description(
            "Who receives the metrics besides the REST API: log (Python's logging, under the name "
            "flott.metrics.report), file (a file for Prometheus' textfile collector), or both."
        )
        .with_effect("tests/coordination/test_effects_of_settings.py")
    )
    REPORTER_LOG_INTERVAL = (
        ConfigOptions.key("metrics.reporter.log.interval")
        .duration_type()
        .default_value(Duration.of_seconds(60))
        .with_description("How often metrics are logged.")
        .with_effect("tests/coordination/test_effects_of_settings.py")
    )
    REPORTER_FILE_INTERVAL = (
        ConfigOptions.key("metrics.reporter.file.interval")
        .duration_type()
        .default_value(Duration.of_seconds(10))
        .with_description("How often the file of metrics is written.")
        .with_effect("tests/coordination/test_effects_of_settings.py")
    )
    REPORTER_FILE_PATH = (
        ConfigOptions.key("metrics.reporter.file.path")
        .string_type()
        .no_default_value()
        .with_description("The file that metrics are written to; it is always whole.")
        .with_effect("tests/coordination/test_effects_of_settings.py")
    )
