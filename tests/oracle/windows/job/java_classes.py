"""Our Java classes inside the JVM of PyFlink, compiled with the compiler that Flink's distribution brings along."""

from __future__ import annotations

import zipfile
from pathlib import Path

from pyflink.java_gateway import get_gateway


def compile_to(jar):
    """Compile the Java files of this folder into a jar."""
    compiler = get_gateway().jvm.org.codehaus.janino.SimpleCompiler
    with zipfile.ZipFile(jar, "w") as archive:
        for source in sorted(Path(__file__).parent.glob("*.java")):
            unit = compiler()
            unit.cook(source.read_text(encoding="utf-8"))
            for name, code in unit.getBytecodes().items():
                archive.writestr(f"{name.replace('.', '/')}.class", code)


def new(name, *arguments):
    """Make an object of one of our classes."""
    gateway = get_gateway()
    loader = gateway.jvm.Thread.currentThread().getContextClassLoader()
    (constructor,) = loader.loadClass(f"flott.oracle.{name}").getConstructors()
    array = gateway.new_array(gateway.jvm.Object, len(arguments))
    for index, argument in enumerate(arguments):
        array[index] = argument
    return constructor.newInstance(array)
