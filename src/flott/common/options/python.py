"""Options that PyFlink has for Python programs."""

from __future__ import annotations

from flott.common.config_options import ConfigOptions

__all__ = ["PythonOptions"]


class PythonOptions:
    """Options that PyFlink has for Python programs; what has no meaning here is accepted."""

    PYTHON_FILES = (
        ConfigOptions.key("python.files")
        .string_type()
        .no_default_value()
        .with_description(
            "Modules, packages and zip files that workers need, separated by commas; they are put on the workers' path."
        )
        .with_effect("tests/spark/test_jobs.py::test_modules_and_packages_are_sent_along")
    )
    PYTHON_REQUIREMENTS = (
        ConfigOptions.key("python.requirements")
        .string_type()
        .no_default_value()
        .with_description("A requirements.txt, and after '#' a directory of packages to use.")
        .accepted(
            "Spark's workers install no packages: install them where the workers run, or send their modules along "
            "with python.files."
        )
    )
    PYTHON_ARCHIVES = (
        ConfigOptions.key("python.archives")
        .string_type()
        .no_default_value()
        .with_description(
            "Archives, separated by commas. They are unpacked in a directory in which functions then run, each under "
            "the name after '#', or else under its own: `open('data.zip/prices.txt')`."
        )
        .with_effect("tests/spark/test_worker_environment.py::test_archives_are_unpacked_where_functions_run")
    )
    PYTHON_PATH = (
        ConfigOptions.key("python.pythonpath")
        .string_type()
        .no_default_value()
        .with_description("Directories on the workers that are put on their path.")
        .with_effect("tests/spark/test_worker_environment.py::test_directories_are_put_on_the_path")
    )
    PYTHON_EXECUTABLE = (
        ConfigOptions.key("python.executable")
        .string_type()
        .no_default_value()
        .with_description(
            "The Python of the workers, a path or a name on the PATH; by default the one that runs the program. It is "
            "chosen when Spark starts: if Spark runs with another one already, the job is refused."
        )
        .with_effect("tests/spark/test_worker_environment.py::test_another_python_than_sparks_is_refused")
    )
    PYTHON_CLIENT_EXECUTABLE = (
        ConfigOptions.key("python.client.executable")
        .string_type()
        .no_default_value()
        .with_description("The Python that compiles the program.")
        .accepted("The program runs in the Python it was started with.")
    )
    PYTHON_EXECUTION_MODE = (
        ConfigOptions.key("python.execution-mode")
        .choice_type("process", "thread")
        .default_value("process")
        .with_description("Whether functions run in processes or threads.")
        .accepted("Functions run in Spark's Python workers.")
    )
    PYTHON_OPERATOR_CHAINING_ENABLED = (
        ConfigOptions.key("python.operator-chaining.enabled")
        .boolean_type()
        .default_value(True)
        .with_description("If false, operators are not chained; see pipeline.operator-chaining.enabled.")
        .with_effect("tests/datastream/test_effects_of_settings.py")
    )
    PYTHON_METRIC_ENABLED = (
        ConfigOptions.key("python.metric.enabled")
        .boolean_type()
        .default_value(True)
        .with_description("Whether metrics of functions are collected.")
        .accepted("They always are.")
    )
    PYTHON_PROFILE_ENABLED = (
        ConfigOptions.key("python.profile.enabled")
        .boolean_type()
        .default_value(False)
        .with_description("Whether workers profile what they do.")
        .accepted("Workers are not profiled; the busy time of each operator is among the metrics.")
    )
    PYTHON_SYSTEMENV_ENABLED = (
        ConfigOptions.key("python.systemenv.enabled")
        .boolean_type()
        .default_value(True)
        .with_description("Whether workers see the environment variables of the machine.")
        .accepted("Workers have Spark's environment.")
    )
    MAX_BUNDLE_SIZE = (
        ConfigOptions.key("python.fn-execution.bundle.size")
        .int_type()
        .default_value(1000)
        .with_description("The most records that are handed to Python at once.")
        .accepted("An epoch is handed to Python in one piece.")
    )
    MAX_BUNDLE_TIME_MILLS = (
        ConfigOptions.key("python.fn-execution.bundle.time")
        .long_type()
        .default_value(1000)
        .with_description("How long records may wait to be handed to Python.")
        .accepted("An epoch is handed to Python in one piece.")
    )
    MAX_ARROW_BATCH_SIZE = (
        ConfigOptions.key("python.fn-execution.arrow.batch.size")
        .int_type()
        .default_value(1000)
        .with_description("The most rows that a vectorised function gets at once.")
        .accepted("A vectorised function gets all rows of a batch at once.")
    )
    USE_MANAGED_MEMORY = (
        ConfigOptions.key("python.fn-execution.memory.managed")
        .boolean_type()
        .default_value(True)
        .with_description("Whether Flink limits the memory of workers.")
        .accepted("Spark limits the memory of its workers.")
    )
    STATE_CACHE_SIZE = (
        ConfigOptions.key("python.state.cache-size")
        .int_type()
        .default_value(1000)
        .with_description("How many values of state are cached.")
        .accepted("flott.state.cache-entries says how much state is held as live objects.")
    )
    MAP_STATE_READ_CACHE_SIZE = (
        ConfigOptions.key("python.map-state.read-cache-size")
        .int_type()
        .default_value(1000)
        .with_description("How many entries of map state are cached for reading.")
        .accepted("flott.state.cache-entries says how much state is held as live objects.")
    )
    MAP_STATE_WRITE_CACHE_SIZE = (
        ConfigOptions.key("python.map-state.write-cache-size")
        .int_type()
        .default_value(1000)
        .with_description("How many entries of map state are cached for writing.")
        .accepted("flott.state.cache-entries says how much state is held as live objects.")
    )
    MAP_STATE_ITERATE_RESPONSE_BATCH_SIZE = (
        ConfigOptions.key("python.map-state.iterate-response-batch-size")
        .int_type()
        .default_value(1000)
        .with_description("How many entries of map state are read at once.")
        .accepted("flott.state.cache-entries says how much state is held as live objects.")
    )
    PYTHON_LOGGING_DEFAULT_LEVEL = (
        ConfigOptions.key("python.logging.default.level")
        .string_type()
        .no_default_value()
        .with_description(
            "From which level on functions log in Spark's workers, to stderr; by default as Python's logging does: "
            "warnings and errors."
        )
        .with_effect("tests/spark/test_worker_environment.py::test_functions_log_from_the_level_on_that_is_set")
    )
    PYTHON_LOGGING_LEVEL_OVERRIDE = (
        ConfigOptions.key("python.logging.level.overrides")
        .map_type()
        .no_default_value()
        .with_description("Other levels for some loggers in Spark's workers, by their names.")
        .with_effect("tests/spark/test_worker_environment.py::test_functions_log_from_the_level_on_that_is_set")
    )
    PYTHON_JOB_OPTIONS = (
        ConfigOptions.key("python.job-options")
        .map_type()
        .no_default_value()
        .with_description("Options of Beam.")
        .accepted("Flott does not use Beam.")
    )
