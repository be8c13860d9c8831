"""Connectors by name: what stands behind the options of CREATE TABLE."""

from __future__ import annotations
