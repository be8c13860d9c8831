"""What workers need besides the program: modules, packages, archives, files."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from flott.common.options import PipelineOptions, PythonOptions
from flott.errors import GraphError

if TYPE_CHECKING:
    from flott.common.config_options import ConfigOption
    from flott.common.configuration import Configuration

__all__ = ["Dependencies"]

BETWEEN_FILES = ","
BETWEEN_PARTS = "#"
CACHED_FILES = PipelineOptions.CACHED_FILES.key
COUNTERPARTS = {
    "kafka": "flott.datastream.connectors.kafka (pip install flott[kafka])",
    "postgresql": "flott.datastream.connectors.postgres (pip install flott[postgres])",
    "jdbc": "flott.datastream.connectors.postgres (pip install flott[postgres])",
    "parquet": "flott.datastream.formats.parquet",
    "avro": "flott.datastream.formats.avro (pip install flott[avro])",
    "csv": "flott.datastream.formats.csv",
    "json": "flott.datastream.formats.json",
}
"""By a part of a jar's name, the modules with what is in it."""


class Dependencies:
    """Names what is sent along to the workers."""

    _configuration: Configuration

    def add_python_file(self, file_path: str) -> None:
        """Adds a module, a package directory or a zip file to the path of the workers."""
        _check_exists("add_python_file", file_path)
        present = self._configuration.get(PythonOptions.PYTHON_FILES)
        files = [file_path, present] if present else [file_path]
        self._configuration.set(PythonOptions.PYTHON_FILES, BETWEEN_FILES.join(files))

    def set_python_requirements(self, requirements_file_path: str, requirements_cache_dir: str | None = None) -> None:
        """Accepted for PyFlink programs, with a warning: Spark's workers install no packages.

        Install them where the workers run, or send their modules along with ``add_python_file``.

        Args:
            requirements_file_path: The file.
            requirements_cache_dir: A directory with the packages, for workers that can't download them.
        """
        _check_exists("set_python_requirements", requirements_file_path)
        parts = [requirements_file_path]
        if requirements_cache_dir is not None:
            _check_exists("set_python_requirements", requirements_cache_dir)
            parts.append(requirements_cache_dir)
        self._configuration.set(PythonOptions.PYTHON_REQUIREMENTS, BETWEEN_PARTS.join(parts))

    def add_python_archive(self, archive_path: str, target_dir: str | None = None) -> None:
        """Adds an archive that is unpacked on the workers, in the directory in which functions then run.

        Args:
            archive_path: The archive: zip, tar, tar.gz or tgz.
            target_dir: The directory it is unpacked into; by default one that is called like the archive.
        """
        _check_exists("add_python_archive", archive_path)
        archive = archive_path if target_dir is None else BETWEEN_PARTS.join([archive_path, target_dir])
        present = self._configuration.get(PythonOptions.PYTHON_ARCHIVES)
        archives = [present, archive] if present else [archive]
        self._configuration.set(PythonOptions.PYTHON_ARCHIVES, BETWEEN_FILES.join(archives))

    def set_python_executable(self, python_exec: str) -> None:
        """Sets the Python of the workers; call it before the first job, since it is chosen when Spark starts."""
        self._configuration.set(PythonOptions.PYTHON_EXECUTABLE, python_exec)

    def add_jars(self, *jars_path: str) -> None:
        """Accepted for PyFlink programs, with a warning: Flott has its connectors in Python and needs no jars."""
        self._keep("add_jars", PipelineOptions.JARS, jars_path)

    def add_classpaths(self, *classpaths: str) -> None:
        """Accepted for PyFlink programs, with a warning: Flott has its connectors in Python and needs no jars."""
        self._keep("add_classpaths", PipelineOptions.CLASSPATHS, classpaths)

    def register_cached_file(self, file_path: str, name: str, executable: bool = False) -> None:
        """Accepted for PyFlink programs, with a warning: Python functions can't open such files, as in PyFlink.

        ``add_python_archive`` sends files along that functions can open.
        """
        if name in self.get_cached_files():
            raise GraphError(f"register_cached_file(...): there is a cached file '{name}' already; choose another name")
        _check_exists("register_cached_file", file_path)
        entry = f"name:{name},path:{file_path}" + (",executable:true" if executable else "")
        present = self._configuration.get_string(CACHED_FILES, "")
        self._configuration.set_string(CACHED_FILES, f"{present};{entry}" if present else entry)

    def get_cached_files(self) -> dict[str, str]:
        """Returns the paths of the cached files by their names."""
        text = self._configuration.get_string(CACHED_FILES, "")
        entries = [dict(_pairs(entry)) for entry in text.split(";") if entry]
        return {entry["name"]: entry["path"] for entry in entries}

    def _keep(self, call: str, option: ConfigOption[list[str] | None], paths: tuple[str, ...]) -> None:
        if not paths:
            return
        named = ", ".join(map(repr, paths))
        advice = "; ".join(dict.fromkeys(_instead_of(path) for path in paths))
        warnings.warn(
            f"{call}({named}): Flott needs no jars, its connectors are written in Python; this has no effect, "
            f"and the line can go: {advice}",
            stacklevel=3,
        )
        self._configuration.set(option, [*(self._configuration.get(option) or []), *paths])


def _instead_of(jar: str) -> str:
    """Return what to use in place of a jar, as far as its name tells what is in it."""
    name = jar.rpartition("/")[2]
    for part, ours in COUNTERPARTS.items():
        if part in name:
            return f"{name} has its counterpart in {ours}"
    return f"what is in {name} must be written in Python: a Source or Sink (flott.datastream.connectors.base), or a udf"


def _pairs(entry: str) -> list[tuple[str, str]]:
    return [(key, value) for key, _, value in (part.partition(":") for part in entry.split(","))]


def _check_exists(call: str, path: str) -> None:
    """Raise if a local path leads nowhere; whether a remote one does, the workers will see."""
    if "://" not in path and not Path(path).exists():
        raise GraphError(f"{call}(...): there is no '{path}' here ({Path.cwd()})")
