"""Bounded queries in batch mode as one query of Spark SQL."""
