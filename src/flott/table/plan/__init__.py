"""Plans: what a query asks for, as a tree of relational nodes."""

from __future__ import annotations
