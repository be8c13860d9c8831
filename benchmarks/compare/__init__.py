"""``make compare``: has a revision become slower than another one? CONTRIBUTING.md says how to use it."""
