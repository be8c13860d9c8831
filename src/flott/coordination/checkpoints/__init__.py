"""Checkpoints and savepoints: when they are taken, what they hold, where they are kept and how a job comes back."""
