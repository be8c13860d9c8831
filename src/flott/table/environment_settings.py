"""EnvironmentSettings: streaming or batch, and how catalog and database are called."""

from __future__ import annotations

from dataclasses import dataclass, field

from flott.common.configuration import Configuration
from flott.table.catalog_manager import DEFAULT_CATALOG, DEFAULT_DATABASE
from flott.table.errors import NotYetError

__all__ = ["EnvironmentSettings"]


@dataclass(frozen=True, slots=True)
class EnvironmentSettings:
    """How a TableEnvironment works.

    >>> EnvironmentSettings.in_streaming_mode().is_streaming_mode()
    True
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
        """Refuses: there is no batch mode yet."""
        return EnvironmentSettings.Builder().in_batch_mode().build()

    def is_streaming_mode(self) -> bool:
        """Says whether queries run as streams."""
        return True

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
            """Refuses: there is no batch mode yet."""
            raise NotYetError(
                "batch mode can't be run yet; in_streaming_mode() over bounded tables ends with the same rows"
            )

        def in_streaming_mode(self) -> EnvironmentSettings.Builder:
            """Lets queries run as streams; what is done anyway."""
            return self

        def build(self) -> EnvironmentSettings:
            """Returns the settings."""
            return EnvironmentSettings(self._configuration)
