"""Why names of PyFlink are missing in Flott, by pattern; the first that fits counts."""

from __future__ import annotations

JAVA = "gives out a Java object, and there is none"
INNER = "inner workings of PyFlink, left out of its `__all__`"
BRIDGE = "inner workings of PyFlink: how values come from Java"
NOT_APPLICABLE = (JAVA, INNER, BRIDGE)
"""What a program can't miss: left out of the second percentage."""
FILES = "arrives with issue 9 (connectors)"
UNKNOWN = "nobody has said why yet"

REASONS = {
    "*.get_java_*": JAVA,
    "*.to_j_row_kind": JAVA,
    "pyflink.common.utils.JavaObjectWrapper*": JAVA,
    "*.JavaFunctionWrapper*": JAVA,
    "pyflink.datastream.utils.create_*": JAVA,
    "pyflink.datastream.utils.convert_to_python_obj": BRIDGE,
    "pyflink.datastream.utils.pickled_bytes_to_python_obj": BRIDGE,
    "pyflink.datastream.functions.Internal*": INNER,
    "pyflink.datastream.window.WindowOperationDescriptor*": INNER,
    "pyflink.datastream.window.Min*": INNER,
    "pyflink.datastream.window.long_to_int_with_bit_mixing": INNER,
    "pyflink.datastream.window.mod_inverse": INNER,
    "*.StreamingFileSink*": "the older of two file sinks; use FileSink",
    "pyflink.datastream.connectors.file_system.*": FILES,
}
