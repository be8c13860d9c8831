"""A job that runs until it is told to stop, and its REST server."""

from __future__ import annotations

import http.client
import json
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from tests.waiting import PATIENCE

from flott.common import Configuration, Types, WatermarkStrategy
from flott.connectors.data_generator import DataGeneratorSource
from flott.connectors.rate_limiter import RateLimiterStrategy
from flott.datastream import StreamExecutionEnvironment
from flott.rest.registry import registered_jobs


class Api:
    """Asks a REST server, with the token of this user unless other headers are given."""

    def __init__(self, url, token):
        self.url = url
        self.address = urlsplit(url).netloc
        self.entitled = {"Authorization": f"Bearer {token}"}

    def ask(self, method, path, body=None, headers=None, host=None):
        connection = http.client.HTTPConnection(self.address, timeout=PATIENCE)
        try:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            connection.putheader("Host", self.address if host is None else host)
            content = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
            connection.putheader("Content-Length", str(len(content)))
            for name, value in (self.entitled if headers is None else headers).items():
                connection.putheader(name, value)
            connection.endheaders(content)
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()
        finally:
            connection.close()

    def get(self, path, **options):
        status, _, content = self.ask("GET", path, **options)
        assert status == 200, content
        return json.loads(content)


@contextmanager
def running_job(directory, **settings):
    """Run a job in this process; gives its client and its API."""
    configuration = {
        "flott.execution.target": "in-process",
        "rest.port": "0",
        "flott.registry.dir": str(directory / "registry"),
        "execution.checkpointing.interval": "50 ms",
        "execution.checkpointing.dir": str(directory / "checkpoints"),
        "execution.checkpointing.savepoint-dir": str(directory / "savepoints"),
        **settings,
    }
    env = StreamExecutionEnvironment.get_execution_environment(Configuration.from_dict(configuration))
    env.set_parallelism(2)
    source = DataGeneratorSource(lambda n: n, None, RateLimiterStrategy.per_second(1_000), Types.LONG())
    numbers = env.from_source(source, WatermarkStrategy.for_monotonous_timestamps(), "numbers")
    totals = numbers.key_by(lambda n: n % 7).reduce(lambda a, b: a + b).uid("totals").name("totals")
    totals.filter(lambda _: False).print()
    client = env.execute_async("numbers")
    [job] = [one for one in registered_jobs(directory / "registry") if not one.is_over]
    try:
        yield client, Api(job.rest, Path(job.token_file).read_text()), job
    finally:
        client.cancel().result(PATIENCE)


@pytest.fixture(scope="module")
def job(tmp_path_factory):
    with running_job(tmp_path_factory.mktemp("job")) as running:
        yield running
