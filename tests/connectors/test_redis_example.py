"""The example of a connector package goes through its own tests."""

from __future__ import annotations

from examples.redis_connector.tests.test_conformance import client, pytestmark, test_sink, test_source, url

__all__ = ["client", "pytestmark", "test_sink", "test_source", "url"]
