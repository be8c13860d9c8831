"""Finds wrong use while the graph is built, where the traceback still points at the user's own line."""

from __future__ import annotations
