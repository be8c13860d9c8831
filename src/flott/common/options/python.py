"""Options that PyFlink has for Python programs."""

from __future__ import annotations

from flott.common.config_options import ConfigOptions

__all__ = ["PythonOptions"]

_NO_BUNDLES = "Accepted for PyFlink programs. An epoch is handed to Python in one piece."
_NO_CACHE = "Accepted for PyFlink programs. See flott.state.cache-entries for how much state is held as live objects."


class PythonOptions:
    """Options that PyFlink has for Python programs; what has no meaning here is accepted."""

    PYTHON_FILES = (
        ConfigOptions.key("python.files")
        .string_type()
        .no_default_value()
        .with_description(
            "Modules, packages and zip files that workers need, separated by commas; they are put on the workers' path."
        )
    )
    PYTHON_REQUIREMENTS = (
        ConfigOptions.key("python.requirements")
        .string_type()
        .no_default_value()
        .with_description("A requirements.txt, and after '#' a directory of packages to use.")
    )
    PYTHON_ARCHIVES = (
        ConfigOptions.key("python.archives")
        .string_type()
        .no_default_value()
        .with_description(
            "Archives, separated by commas, that are unpacked in each worker's directory, "
            "under the name after '#' if there is one."
        )
    )
    PYTHON_PATH = (
        ConfigOptions.key("python.pythonpath")
        .string_type()
        .no_default_value()
        .with_description("Directories on the workers that are put on their path.")
    )
    PYTHON_EXECUTABLE = (
        ConfigOptions.key("python.executable")
        .string_type()
        .no_default_value()
        .with_description("The Python of the workers; by default the one that runs the program.")
    )
    PYTHON_CLIENT_EXECUTABLE = (
        ConfigOptions.key("python.client.executable")
        .string_type()
        .no_default_value()
        .with_description("Accepted for PyFlink programs. The program runs in the Python it runs in.")
    )
    PYTHON_EXECUTION_MODE = (
        ConfigOptions.key("python.execution-mode")
        .choice_type("process", "thread")
        .default_value("process")
        .with_description("Accepted for PyFlink programs. Functions run in Spark's Python workers.")
    )
    PYTHON_OPERATOR_CHAINING_ENABLED = (
        ConfigOptions.key("python.operator-chaining.enabled")
        .boolean_type()
        .default_value(True)
        .with_description("If false, operators are not chained; see pipeline.operator-chaining.enabled.")
    )
    PYTHON_METRIC_ENABLED = (
        ConfigOptions.key("python.metric.enabled")
        .boolean_type()
        .default_value(True)
        .with_description("Accepted for PyFlink programs. Metrics of user functions are always collected.")
    )
    PYTHON_PROFILE_ENABLED = (
        ConfigOptions.key("python.profile.enabled")
        .boolean_type()
        .default_value(False)
        .with_description("Whether workers profile what they do and log it.")
    )
    PYTHON_SYSTEMENV_ENABLED = (
        ConfigOptions.key("python.systemenv.enabled")
        .boolean_type()
        .default_value(True)
        .with_description("Accepted for PyFlink programs. Workers get Spark's environment.")
    )
    MAX_BUNDLE_SIZE = (
        ConfigOptions.key("python.fn-execution.bundle.size")
        .int_type()
        .default_value(1000)
        .with_description(_NO_BUNDLES)
    )
    MAX_BUNDLE_TIME_MILLS = (
        ConfigOptions.key("python.fn-execution.bundle.time")
        .long_type()
        .default_value(1000)
        .with_description(_NO_BUNDLES)
    )
    MAX_ARROW_BATCH_SIZE = (
        ConfigOptions.key("python.fn-execution.arrow.batch.size")
        .int_type()
        .default_value(1000)
        .with_description("The most rows that a vectorised function gets at once.")
    )
    USE_MANAGED_MEMORY = (
        ConfigOptions.key("python.fn-execution.memory.managed")
        .boolean_type()
        .default_value(True)
        .with_description("Accepted for PyFlink programs. Spark limits the memory of its workers.")
    )
    STATE_CACHE_SIZE = (
        ConfigOptions.key("python.state.cache-size").int_type().default_value(1000).with_description(_NO_CACHE)
    )
    MAP_STATE_READ_CACHE_SIZE = (
        ConfigOptions.key("python.map-state.read-cache-size").int_type().default_value(1000).with_description(_NO_CACHE)
    )
    MAP_STATE_WRITE_CACHE_SIZE = (
        ConfigOptions.key("python.map-state.write-cache-size")
        .int_type()
        .default_value(1000)
        .with_description(_NO_CACHE)
    )
    MAP_STATE_ITERATE_RESPONSE_BATCH_SIZE = (
        ConfigOptions.key("python.map-state.iterate-response-batch-size")
        .int_type()
        .default_value(1000)
        .with_description(_NO_CACHE)
    )
    PYTHON_LOGGING_DEFAULT_LEVEL = (
        ConfigOptions.key("python.logging.default.level")
        .string_type()
        .default_value("INFO")
        .with_description("From which level on workers log.")
    )
    PYTHON_LOGGING_LEVEL_OVERRIDE = (
        ConfigOptions.key("python.logging.level.overrides")
        .map_type()
        .no_default_value()
        .with_description("Other levels for some loggers, by their names.")
    )
    PYTHON_JOB_OPTIONS = (
        ConfigOptions.key("python.job-options")
        .map_type()
        .no_default_value()
        .with_description("Accepted for PyFlink programs. Options of Beam, which Flott has not.")
    )
