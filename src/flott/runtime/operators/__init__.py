"""The operators, a file per idea."""
