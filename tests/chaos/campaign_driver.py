"""The drivers of a campaign: starts them, finds their processes, and knows what they left."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from contextlib import suppress
from pathlib import Path

import fsspec
import psutil

ROOT = Path(__file__).parent.parent.parent
PROGRAM = Path(__file__).with_name("campaign_job.py")
MARK = "FLOTT_CAMPAIGN"


class Drivers:
    """The drivers of one job."""

    def __init__(self, directory, name, environment, arguments):
        self.log = directory / f"{name}.log"
        self.arguments = arguments
        self.checkpoints = arguments[1]
        self.mark = f"{os.getpid()}-{name}"
        self.environment = {
            **os.environ, **environment, MARK: self.mark, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}",
            "PYSPARK_PYTHON": sys.executable,
        }  # fmt: skip
        self.endpoint = environment.get("AWS_ENDPOINT_URL")
        self.credentials = environment
        self.current = None
        self.ended = Counter()

    def start(self, *, blind=False):
        with self.log.open("a") as log:
            return subprocess.Popen(
                [sys.executable, str(PROGRAM), *self.arguments, *(["blind"] if blind else [])],
                env=self.environment, stdout=log, stderr=log, start_new_session=True,
            )  # fmt: skip

    def processes(self, driver, what):
        """Return the living processes of a driver: itself, its Java, or Spark's Python workers."""
        with suppress(psutil.NoSuchProcess):
            this = psutil.Process(driver.pid)
            if what == "driver":
                return [this]
            java = [one for one in this.children(recursive=True) if one.name() == "java"]
            if what == "java":
                return java
            return [one for each in java for one in each.children(recursive=True) if "python" in one.name()]
        return []

    def kill_everything(self):
        """Kill all processes of this job, whoever started them, and wait until they are gone."""
        while victims := [one for one in psutil.process_iter() if self.is_mine(one)]:
            for one in victims:
                with suppress(psutil.NoSuchProcess):
                    one.kill()
            if self.current is not None and self.current.pid in {one.pid for one in victims}:
                self.current.wait()
            psutil.wait_procs(victims, timeout=10)

    def is_mine(self, process):
        try:
            return process.status() != psutil.STATUS_ZOMBIE and process.environ().get(MARK) == self.mark
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            return False

    def storage(self):
        if self.endpoint is None:
            return fsspec.core.url_to_fs(self.checkpoints)
        options = {
            "key": self.credentials["AWS_ACCESS_KEY_ID"], "secret": self.credentials["AWS_SECRET_ACCESS_KEY"],
            "endpoint_url": self.endpoint, "use_listings_cache": False,
        }  # fmt: skip
        return fsspec.core.url_to_fs(self.checkpoints, **options)

    def make_bucket(self, name):
        self.storage()[0].mkdir(name)

    def left(self):
        """Return the files that are left in the checkpoint directory."""
        files, path = self.storage()
        return files.find(path)

    def current_owns(self):
        """Return whether the job's record names the current driver: it is no longer starting."""
        files, path = self.storage()
        try:
            records = sorted((name for name in files.find(path) if "/_job" in name), key=lambda name: (len(name), name))
            return json.loads(files.cat_file(records[-1]).splitlines()[0])["pid"] == self.current.pid
        except (FileNotFoundError, IndexError):
            return False

    def finished(self):
        """Return whether the job has finished, though its driver was killed right behind: its record is gone."""
        return Path(self.arguments[0], "out").exists() and not any("/_job" in name for name in self.left())
