"""Object stores for tests: one in this process, and an S3 server in a process of its own."""

from __future__ import annotations

import errno
import itertools
import os
import shutil
import socket
import subprocess
import sys
import threading
import urllib.request
from pathlib import Path

import fsspec
import pytest
from fsspec.implementations.memory import MemoryFileSystem
from tests.waiting import wait_until

REGION = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_DEFAULT_REGION": "us-east-1"}


class ObjectsInMemory(MemoryFileSystem):
    """What Flott asks of s3fs, kept in memory: objects with ETags, and writes with conditions."""

    protocol = ("s3", "s3a")
    store = {}  # noqa: RUF012 - fsspec's way: all instances see the same objects
    pseudo_dirs = [""]  # noqa: RUF012
    _guard = threading.RLock()
    _numbers = itertools.count(1)
    etags: dict = {}  # noqa: RUF012

    @classmethod
    def _strip_protocol(cls, path):
        path = path.removeprefix("s3://").removeprefix("s3a://").strip("/")
        return f"/{path}" if path else ""

    def split_path(self, path):
        bucket, _, key = path.lstrip("/").partition("/")
        return bucket, key, None

    def call_s3(self, method, *, Bucket, Key, Body, IfNoneMatch=None, IfMatch=None):  # noqa: N803 - boto's names
        assert method == "put_object"
        path = f"/{Bucket}/{Key}"
        with self._guard:
            there = path in self.store
            if IfNoneMatch is not None and there:
                raise FileExistsError(path)
            if IfMatch is not None and not there:
                raise FileNotFoundError(path)
            if IfMatch is not None and self.info(path)["ETag"] != IfMatch:
                raise OSError(errno.EINVAL, "At least one of the pre-conditions you specified did not hold")
            self.pipe_file(path, Body)
            return {"ETag": self.info(path)["ETag"]}

    def pipe_file(self, path, value, mode="overwrite", **kwargs):
        with self._guard:
            super().pipe_file(path, value, mode=mode, **kwargs)
            self.etags[self._strip_protocol(path)] = f'"{next(self._numbers)}"'

    def info(self, path, refresh=False, **kwargs):
        with self._guard:
            found = super().info(path, **kwargs)
            return {**found, "ETag": self.etags.get(found["name"], '"0"')}


@pytest.fixture
def objects_in_memory():
    """Make ``s3://`` lead to objects in this process; return the URL of an empty bucket."""
    from fsspec.registry import _registry as implementations

    before = implementations.pop("s3", None)
    fsspec.register_implementation("s3", ObjectsInMemory, clobber=True)
    ObjectsInMemory.store.clear()
    ObjectsInMemory.etags.clear()
    ObjectsInMemory.pseudo_dirs[:] = ["", "/bucket"]
    yield "s3://bucket"
    fsspec.core.url_to_fs("s3://bucket")[0].clear_instance_cache()
    del implementations["s3"]
    if before is not None:
        implementations["s3"] = before


@pytest.fixture(scope="session")
def s3_server():
    """Start an S3 server in a process of its own; yield its endpoint."""
    pytest.importorskip("s3fs", reason="the tests on an S3 server need s3fs")
    if moto_server() is None:
        pytest.skip("the tests on an S3 server need moto_server on the PATH")
    server, endpoint = start_s3_server()
    try:
        yield endpoint
    finally:
        server.terminate()
        server.wait(30)


def moto_server():
    """Return where the program of the S3 server is; None where it is not installed."""
    return shutil.which("moto_server", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}")


def start_s3_server():
    """Start an S3 server in a process of its own; return the process and its endpoint."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = subprocess.Popen(
        [moto_server(), "-H", "127.0.0.1", "-p", str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    endpoint = f"http://127.0.0.1:{port}"
    wait_for(endpoint, server)
    return server, endpoint


def wait_for(endpoint, server):
    def connect():
        assert server.poll() is None, "the S3 server ended"
        try:
            urllib.request.urlopen(f"{endpoint}/moto-api/", timeout=5).close()  # noqa: S310 - our own server
        except OSError as error:
            return error
        return None

    wait_until("an answer of the S3 server", connect, lambda error: error is None)


@pytest.fixture
def s3_bucket(s3_server, monkeypatch, tmp_path):
    """Return the URL of a new bucket on the S3 server."""
    import s3fs

    for name, value in {**REGION, "AWS_ENDPOINT_URL": s3_server, "FSSPEC_S3_ENDPOINT_URL": s3_server}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setitem(fsspec.config.conf, "s3", {"endpoint_url": s3_server})
    s3fs.S3FileSystem.clear_instance_cache()
    bucket = f"bucket-{tmp_path.parent.name}-{tmp_path.name}".lower().replace("_", "-")[:60].strip("-")
    fsspec.filesystem("s3").mkdir(bucket)
    yield f"s3://{bucket}"
    s3fs.S3FileSystem.clear_instance_cache()
