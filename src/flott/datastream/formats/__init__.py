"""Formats of files and messages; the modules are PyFlink's: csv, json, parquet, avro."""
