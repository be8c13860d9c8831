"""Options of what the driver logs, and how."""

from __future__ import annotations

from flott.common.config_options import ConfigOptions

__all__ = ["LogOptions"]


class LogOptions:
    """Options of what the driver logs, and how."""

    FORMAT = (
        ConfigOptions.key("flott.log.format")
        .choice_type("text", "json")
        .no_default_value()
        .with_description(
            "Makes Flott log by itself, one line per event: text for people, json for programs. "
            "Without it Flott logs through Python's logging, under the name flott, as the program has set that up."
        )
        .with_effect("tests/coordination/test_log_lines.py::test_asked_again_it_logs_as_was_asked_last")
    )
    LEVEL = (
        ConfigOptions.key("flott.log.level")
        .choice_type("DEBUG", "INFO", "WARNING", "ERROR")
        .default_value("INFO")
        .with_description("With flott.log.format: what is logged; DEBUG has a line for every epoch and checkpoint.")
        .with_effect("tests/coordination/test_log_lines.py::test_json_has_job_and_epoch")
    )
    FILE = (
        ConfigOptions.key("flott.log.file")
        .string_type()
        .no_default_value()
        .with_description("With flott.log.format: the file that lines are added to; by default stderr.")
        .with_effect("tests/coordination/test_log_lines.py::test_asked_again_it_logs_as_was_asked_last")
    )
    PRINTS = (
        ConfigOptions.key("flott.log.prints")
        .boolean_type()
        .no_default_value()
        .with_description(
            "Whether what functions print in Spark's workers is brought to the driver's stderr at the end of each "
            "epoch. By default on a cluster only: in local mode it comes there anyway, and at once."
        )
        .with_effect("tests/spark/test_effects_of_settings.py")
    )
