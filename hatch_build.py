"""Compiles the parts of Flott that exist in machine code too, when a wheel or an editable installation is made.

Without a C compiler, or with FLOTT_PURE=1, nothing is compiled and Flott runs all the same, in Python.

    python hatch_build.py     # compiles them in place, as `make native` does
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:  # Run as a program, where hatchling need not be.
    BuildHookInterface = object

ROOT = Path(__file__).resolve().parent
PACKAGE = Path("src/flott/runtime/native")


def compile_native(root: Path) -> list[Path]:
    """Compile the modules in place; return the files that were made, relative to the root."""
    from Cython.Build import cythonize
    from setuptools import Distribution, Extension
    from setuptools.command.build_ext import build_ext

    before = Path.cwd()
    os.chdir(root)
    try:
        sources = sorted(PACKAGE.glob("*.pyx"))
        extensions = [
            Extension(f"flott.runtime.native.{source.stem}", [str(source)], extra_compile_args=optimised())
            for source in sources
        ]
        made = cythonize(extensions, build_dir="build/native", quiet=True, force=True)
        command = build_ext(Distribution({"name": "flott", "ext_modules": made, "package_dir": {"": "src"}}))
        command.inplace, command.build_temp = True, "build/native"
        command.ensure_finalized()
        command.run()
        return [Path(command.get_ext_filename(extension.name)) for extension in made]
    finally:
        os.chdir(before)


def optimised() -> list[str]:
    """Return how the compiler is asked to take its time.

    Functions begin at lines of the processor's cache: elsewhere, a change of one may slow down others that lie behind
    it by a tenth, without a single instruction more.
    """
    return [] if sys.platform == "win32" else ["-O3", "-falign-functions=64"]


class NativeBuildHook(BuildHookInterface):
    """Puts the compiled modules into the wheel."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile before the wheel is put together."""
        if self.target_name != "wheel" or os.environ.get("FLOTT_PURE") == "1":
            return
        try:
            made = compile_native(Path(self.root))
        except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a compiler can't do, Python does
            self.app.display_warning(f"Flott is installed without its compiled parts, which is slower: {error}")
            return
        build_data["pure_python"] = False
        build_data["infer_tag"] = True
        build_data["artifacts"] += [f"/src/{path.as_posix()}" for path in made]


if __name__ == "__main__":
    for path in compile_native(ROOT):
        sys.stdout.write(f"compiled {path}\n")
