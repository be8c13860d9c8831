"""Options of a job as a whole: its shape, its name, how it is executed."""

from __future__ import annotations

from flott.common.config_options import ConfigOptions
from flott.common.time import Duration

__all__ = ["CoreOptions", "ExecutionOptions", "PipelineOptions"]


class CoreOptions:
    """Options that hold for everything."""

    DEFAULT_PARALLELISM = (
        ConfigOptions.key("parallelism.default")
        .int_type()
        .default_value(-1)
        .with_description(
            "How many subtasks an operator has that does not say so itself; "
            "-1 stands for the number of cores that Spark offers."
        )
        .with_effect("tests/datastream/test_effects_of_settings.py")
    )


class PipelineOptions:
    """Options of the program: its name and how its operators are put together."""

    NAME = (
        ConfigOptions.key("pipeline.name")
        .string_type()
        .no_default_value()
        .with_description("The job's name, if the program gives none when it is executed.")
        .with_effect("tests/datastream/test_effects_of_settings.py")
    )
    MAX_PARALLELISM = (
        ConfigOptions.key("pipeline.max-parallelism")
        .int_type()
        .default_value(-1)
        .with_description(
            "The number of key groups, and so the most subtasks that a stateful operator may ever "
            "have; -1 stands for 128. It can't be changed once there is state."
        )
        .with_effect("tests/datastream/test_effects_of_settings.py")
    )
    AUTO_WATERMARK_INTERVAL = (
        ConfigOptions.key("pipeline.auto-watermark-interval")
        .duration_type()
        .default_value(Duration.of_millis(200))
        .with_description(
            "Whether watermark generators are asked for a watermark behind every batch of records; with 0 s only "
            "records ask them. Any other length means the same as the default."
        )
        .with_effect("tests/datastream/test_effects_of_settings.py")
    )
    AUTO_GENERATE_UIDS = (
        ConfigOptions.key("pipeline.auto-generate-uids")
        .boolean_type()
        .default_value(True)
        .with_description(
            "Whether an operator without a uid gets one made from its place in the program; "
            "if false, such a program is refused."
        )
        .with_effect("tests/datastream/test_effects_of_settings.py")
    )
    OPERATOR_CHAINING = (
        ConfigOptions.key("pipeline.operator-chaining.enabled")
        .boolean_type()
        .default_value(True)
        .with_description(
            "Whether operators that need no exchange between them share a task; it saves copying every record."
        )
        .with_deprecated_keys("pipeline.operator-chaining")
        .with_effect("tests/datastream/test_effects_of_settings.py")
    )
    GLOBAL_JOB_PARAMETERS = (
        ConfigOptions.key("pipeline.global-job-parameters")
        .map_type()
        .no_default_value()
        .with_description("Your own parameters, which every function can read.")
        .with_effect("tests/datastream/test_effects_of_settings.py")
    )
    OBJECT_REUSE = (
        ConfigOptions.key("pipeline.object-reuse")
        .boolean_type()
        .default_value(False)
        .with_description(
            "Whether operators hand on the very objects that functions return, without copies. Then a function may "
            "neither change an object that it has emitted nor one that it was given."
        )
        .with_effect("tests/datastream/test_effects_of_settings.py")
    )
    CLOSURE_CLEANER_LEVEL = (
        ConfigOptions.key("pipeline.closure-cleaner-level")
        .choice_type("NONE", "TOP_LEVEL", "RECURSIVE")
        .default_value("RECURSIVE")
        .with_description("What is removed from functions before they are sent to workers.")
        .accepted("Functions are pickled by cloudpickle, which takes along only what they use.")
    )
    GENERIC_TYPES = (
        ConfigOptions.key("pipeline.generic-types")
        .boolean_type()
        .default_value(True)
        .with_description("Whether records may be of types that Flink does not know.")
        .accepted("Any picklable object may be a record.")
    )
    FORCE_KRYO = (
        ConfigOptions.key("pipeline.force-kryo")
        .boolean_type()
        .default_value(False)
        .with_description("Whether records are serialized with Kryo.")
        .accepted("Flott does not use Kryo.")
    )
    FORCE_AVRO = (
        ConfigOptions.key("pipeline.force-avro")
        .boolean_type()
        .default_value(False)
        .with_description("Whether records are serialized with Avro.")
        .accepted("Flott does not use Avro for records.")
    )
    CACHED_FILES = (
        ConfigOptions.key("pipeline.cached-files")
        .string_type()
        .no_default_value()
        .with_description("Files that are copied to the workers under names.")
        .accepted("Python functions can't open them, nor can they in PyFlink; send files along with python.archives.")
    )
    JARS = (
        ConfigOptions.key("pipeline.jars")
        .string_type()
        .as_list()
        .no_default_value()
        .with_description("Jars that are sent to the workers.")
        .accepted("Flott needs no jars.")
    )
    CLASSPATHS = (
        ConfigOptions.key("pipeline.classpaths")
        .string_type()
        .as_list()
        .no_default_value()
        .with_description("Jars that the workers have.")
        .accepted("Flott needs no jars.")
    )


class ExecutionOptions:
    """Options of how a job is executed."""

    RUNTIME_MODE = (
        ConfigOptions.key("execution.runtime-mode")
        .choice_type("STREAMING", "BATCH", "AUTOMATIC")
        .default_value("STREAMING")
        .with_description(
            "STREAMING runs epoch after epoch; BATCH runs a bounded program at once; "
            "AUTOMATIC chooses BATCH when all sources are bounded."
        )
        .with_effect("tests/datastream/test_effects_of_settings.py")
    )
    BUFFER_TIMEOUT = (
        ConfigOptions.key("execution.buffer-timeout.interval")
        .duration_type()
        .default_value(Duration.of_millis(100))
        .with_description("How long records may wait before an epoch takes them along, when the input is slow.")
        .with_deprecated_keys("execution.buffer-timeout")
        .with_effect("tests/datastream/test_effects_of_settings.py")
    )
    BUFFER_TIMEOUT_ENABLED = (
        ConfigOptions.key("execution.buffer-timeout.enabled")
        .boolean_type()
        .default_value(True)
        .with_description("If false, an epoch starts only when there is enough input or a checkpoint is due.")
        .with_effect("tests/datastream/test_effects_of_settings.py")
    )
    LATENCY_INTERVAL = (
        ConfigOptions.key("metrics.latency.interval")
        .duration_type()
        .default_value(Duration.of_millis(0))
        .with_description("How often the latency from sources to sinks is measured; 0 s for never.")
        .with_effect("tests/datastream/test_effects_of_settings.py")
    )
    TASK_CANCELLATION_INTERVAL = (
        ConfigOptions.key("task.cancellation.interval")
        .long_type()
        .default_value(30_000)
        .with_description("Milliseconds between two attempts to interrupt a job that was cancelled.")
        .with_effect("tests/coordination/test_cancellation.py::test_it_is_interrupted_as_often_as_the_settings_say")
    )
    TASK_CANCELLATION_TIMEOUT = (
        ConfigOptions.key("task.cancellation.timeout")
        .long_type()
        .default_value(180_000)
        .with_description(
            "Milliseconds after which a function that ignores cancellation is abandoned: its Spark workers are killed; "
            "in-process the job counts as cancelled without it. 0 for never."
        )
        .with_effect("tests/coordination/test_cancellation.py::test_it_is_interrupted_as_often_as_the_settings_say")
    )
