"""EnvironmentSettings: streaming or batch, and how catalog and database are called."""

from __future__ import annotations

from dataclasses import dataclass, field

from flott.common.configuration import Configuration
from flott.common.options import ExecutionOptions
from flott.datastream.execution_mode import RuntimeExecutionMode
from flott.table.catalog_manager import DEFAULT_CATALOG, DEFAULT_DATABASE

__all__ = ["EnvironmentSettings"]


@dataclass(frozen=True, slots=True)
class EnvironmentSettings:
    """How a TableEnvironment works.

    >>> EnvironmentSettings.in_streaming_mode().is_streaming_mode()
    True
    >>> EnvironmentSettings.in_batch_mode().is_streaming_mode()
    False
    """

    configuration: Configuration = field(default_factory=Configuration)
    catalog: str = DEFAULT_CATALOG
    database: str = DEFAULT_DATABASE

    @staticmethod
    def new_instance() -> EnvironmentSettings.Builder:
        """Returns a builder."""
        return EnvironmentSettings.Builder()

    @staticmethod
    def in_streaming_mode() -> EnvironmentSettings:
        """Returns settings for streaming."""
        return EnvironmentSettings()

    @staticmethod
    def in_batch_mode() -> EnvironmentSettings:
        """Returns settings for batch mode: queries over tables that end give the rows that are left at their end."""
        return EnvironmentSettings.Builder().in_batch_mode().build()

    def is_streaming_mode(self) -> bool:
        """Says whether queries run as streams."""
        return self.configuration.get(ExecutionOptions.RUNTIME_MODE) != RuntimeExecutionMode.BATCH.name

    def get_configuration(self) -> Configuration:
        """Returns the options."""
        return self.configuration

    def get_built_in_catalog_name(self) -> str:
        """Returns the name of the first catalog."""
        return self.catalog

    def get_built_in_database_name(self) -> str:
        """Returns the name of the first database."""
        return self.database

    class Builder:
        """Puts settings together."""

        def __init__(self) -> None:
            self._configuration = Configuration()

        def with_configuration(self, config: Configuration) -> EnvironmentSettings.Builder:
            """Takes over options."""
            self._configuration.add_all(config)
            return self

        def in_batch_mode(self) -> EnvironmentSettings.Builder:
            """Lets queries run over tables that end: no row is late, and only the last rows are told."""
            self._configuration.set(ExecutionOptions.RUNTIME_MODE, RuntimeExecutionMode.BATCH.name)
            return self

        def in_streaming_mode(self) -> EnvironmentSettings.Builder:
            """Lets queries run as streams; what is done anyway."""
            self._configuration.set(ExecutionOptions.RUNTIME_MODE, RuntimeExecutionMode.STREAMING.name)
            return self

        def build(self) -> EnvironmentSettings:
            """Returns the settings."""
            return EnvironmentSettings(self._configuration)
