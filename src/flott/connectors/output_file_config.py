"""What part files are called."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class OutputFileConfig:
    """What the names of part files start and end with.

    >>> OutputFileConfig.builder().with_part_prefix("orders").with_part_suffix(".txt").build()
    OutputFileConfig(part_prefix='orders', part_suffix='.txt')
    """

    part_prefix: str = "part"
    part_suffix: str = ""

    @staticmethod
    def builder() -> OutputFileConfig.OutputFileConfigBuilder:
        """Start with the default names."""
        return OutputFileConfig.OutputFileConfigBuilder()

    def get_part_prefix(self) -> str:
        """Return what names start with."""
        return self.part_prefix

    def get_part_suffix(self) -> str:
        """Return what names end with."""
        return self.part_suffix

    class OutputFileConfigBuilder:
        """Gathers what the names of part files look like."""

        def __init__(self) -> None:
            self.part_prefix = "part"
            self.part_suffix = ""

        def with_part_prefix(self, prefix: str) -> OutputFileConfig.OutputFileConfigBuilder:
            """Let names start with this."""
            self.part_prefix = prefix
            return self

        def with_part_suffix(self, suffix: str) -> OutputFileConfig.OutputFileConfigBuilder:
            """Let names end with this."""
            self.part_suffix = suffix
            return self

        def build(self) -> OutputFileConfig:
            """Return the names."""
            return OutputFileConfig(self.part_prefix, self.part_suffix)
