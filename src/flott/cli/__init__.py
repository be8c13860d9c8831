"""The command line: ``flott``."""
