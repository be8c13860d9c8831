"""Lets PyFlink programs run as they are: `import pyflink…` gives Flott's modules of the same names.

>>> PyFlinkFinder().find_spec("pyflink.common", None).loader.create_module(None).__name__
'flott.common'
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from flott.errors import FlottError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import ModuleType
    from typing import NoReturn

__all__ = ["MIRRORED_VERSION", "JavaOnlyError", "explain", "install_pyflink_imports"]

ROOT = "pyflink"
MIRRORED_VERSION = "2.3.0"
"""The PyFlink whose names Flott has."""

CONNECTOR = "derive from Source or Sink in flott.datastream.connectors.base and write it in Python"
FUNCTION = "write the function in Python: a MapFunction, a ProcessFunction, or @udf for a table"

NO_COUNTERPART = {
    "pyflink.java_gateway": f"there is no Java behind Flott. For a connector, {CONNECTOR}; for a function, {FUNCTION}",
    "pyflink.util.java_utils": f"there is no Java behind Flott. For a connector, {CONNECTOR}; else {FUNCTION}",
    "pyflink.util.exceptions": "errors are Python's; flott.errors has Flott's own, catch FlottError",
    "pyflink.fn_execution": "these are inner workings of PyFlink; Flott's operators are in flott.runtime",
    "pyflink.pyflink_gateway_server": "there is no Java behind Flott; run the program with `flott run`",
    "pyflink.find_flink_home": "Flott needs no Flink installation; Spark comes with the package pyspark",
    "pyflink.shell": "start python and import flott.datastream, or see `flott --help`",
}
"""Modules of PyFlink that only make sense with Java, and what to use in their place."""


class JavaOnlyError(FlottError):
    """A PyFlink program asked for something that only exists where Flink's Java is."""


class PyFlinkFinder(MetaPathFinder):
    """Finds Flott's modules under PyFlink's names."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of a PyFlink module, or say what is there instead; leave others to other finders."""
        del path, target
        if fullname != ROOT and not fullname.startswith(f"{ROOT}."):
            return None
        if fullname in {ROOT, f"{ROOT}.version", f"{ROOT}.util"}:
            return ModuleSpec(fullname, Made(_bare), is_package=fullname != f"{ROOT}.version")
        if any(fullname == name or fullname.startswith(f"{name}.") for name in NO_COUNTERPART):
            return ModuleSpec(fullname, Made(_java_only), is_package=True)
        ours = f"flott{fullname.removeprefix(ROOT)}"
        try:
            found = find_spec(ours)
        except ModuleNotFoundError:  # not even the package around it is there
            found = None
        if found is None:
            raise ModuleNotFoundError(explain_module(fullname), name=fullname)
        return ModuleSpec(fullname, Alias(ours), is_package=found.submodule_search_locations is not None)


class Alias(Loader):
    """Loads a module of Flott for another name: the very same module, so classes are the same too."""

    def __init__(self, ours: str) -> None:
        self._ours = ours
        self._spec: ModuleSpec | None = None

    def create_module(self, spec: ModuleSpec | None) -> ModuleType:
        """Return Flott's module."""
        del spec
        module = import_module(self._ours)
        self._spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Give the module back its own spec, which the import system has just replaced."""
        module.__spec__ = self._spec


class Made(Loader):
    """Loads a module that Flott does not have as a file."""

    def __init__(self, fill: Callable[[ModuleType], None]) -> None:
        self._fill = fill

    def create_module(self, spec: ModuleSpec) -> None:
        """Let the import system make an empty module."""

    def exec_module(self, module: ModuleType) -> None:
        """Fill it."""
        self._fill(module)


def install_pyflink_imports() -> None:
    """Let `pyflink` mean Flott from here on, in this process."""
    if any(isinstance(finder, PyFlinkFinder) for finder in sys.meta_path):
        return
    if ROOT in sys.modules:
        raise FlottError(
            "pyflink itself has been imported in this process already, so its names can't mean Flott any more; "
            "run the program with `flott run --pyflink job.py`, in a process of its own"
        )
    sys.meta_path.insert(0, PyFlinkFinder())


def explain_module(name: str) -> str:
    """Return what to say about a PyFlink module that Flott lacks."""
    if name.startswith(f"{ROOT}.datastream.connectors."):
        return f"Flott has no connector '{name.rpartition('.')[2]}' ({name}); {CONNECTOR}"
    return f"Flott has no counterpart of {name}; docs/support.md lists what it has"


def explain(error: BaseException) -> str | None:
    """Return what to do about an error that comes from a PyFlink program's use of something Flott lacks."""
    if isinstance(error, AttributeError) and str(error.name or "").startswith(("_j_", "get_java_", "_jvm")):
        return (
            f"'{error.name}' is the Java object behind a PyFlink one, and there is no Java behind Flott's "
            f"{type(error.obj).__name__}. For a connector, {CONNECTOR}; for a function, {FUNCTION}."
        )
    if isinstance(error, ImportError) and str(error.name or "").startswith("flott."):
        return f"{error.msg}. PyFlink has this name and Flott does not; docs/support.md lists what it has."
    if isinstance(error, ModuleNotFoundError) and str(error.name or "").startswith(f"{ROOT}."):
        return error.msg
    return None


def _bare(module: ModuleType) -> None:
    module.__version__ = MIRRORED_VERSION  # type: ignore[attr-defined]


def _java_only(module: ModuleType) -> None:
    name = module.__name__
    instead = next(text for known, text in NO_COUNTERPART.items() if f"{name}.".startswith(f"{known}."))

    def attribute(wanted: str) -> Any:
        if wanted.startswith("__"):
            raise AttributeError(wanted)

        def refuse(*_: object, **__: object) -> NoReturn:
            raise JavaOnlyError(f"{name}.{wanted}(...): {instead}")

        return refuse

    module.__getattr__ = attribute  # type: ignore[method-assign]
