"""The physical plan: which operators run, on what keys, and what kind of changes come out of each."""

from __future__ import annotations
