"""What runs in a task: operators, state, time and windows, in pure Python.

Nothing here imports pyspark or reads the wall clock, so an operator behaves the same on Spark,
in the in-process harness and under virtual time.
"""
