"""Validation: trees of names become plans of columns with types, or an error that says where and what was meant."""

from __future__ import annotations
