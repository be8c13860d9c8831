"""A job that runs until it is told to stop, and a browser that looks at its page."""

from __future__ import annotations

import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.waiting import wait_until

from flott.common import Configuration, Types, WatermarkStrategy
from flott.common.watermark_strategy import TimestampAssigner
from flott.connectors.data_generator import DataGeneratorSource
from flott.connectors.rate_limiter import RateLimiterStrategy
from flott.datastream import MapFunction, StreamExecutionEnvironment
from flott.rest.registry import registered_jobs

PATIENCE = 120
"""Seconds that a page may take on a busy machine."""
HOSTILE = '<img src=x onerror="window.pwned=1">'
TOKEN = "a-token-that-is-long-enough-for-anybody"
CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


TOKENS = {}
"""Of servers whose pages have one from the beginning."""


@dataclass(frozen=True)
class Running:
    client: Any
    url: str
    page: str
    directory: Path


class Now(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return time.time_ns() // 1_000_000


class FailsOnce(MapFunction):
    """Fails at the first record that is large enough, and never again; counts the others."""

    def __init__(self, mark):
        self.mark = mark

    def open(self, runtime_context):
        self.seen = runtime_context.get_metrics_group().counter("seenByMe")

    def map(self, value):
        self.seen.inc()
        if value > 200 and not Path(self.mark).exists():
            Path(self.mark).touch()
            message = f"no such city: {HOSTILE}"
            raise ValueError(message)
        return value


def start(directory, name="orders", **more):
    settings = {
        "flott.execution.target": "in-process",
        "rest.port": "0",
        "flott.registry.dir": str(directory / "registry"),
        "execution.checkpointing.interval": "100 ms",
        "execution.checkpointing.dir": str(directory / "checkpoints"),
        "execution.checkpointing.savepoint-dir": str(directory / "savepoints"),
        "restart-strategy.type": "fixed-delay",
        "restart-strategy.fixed-delay.delay": "1 ms",
        **more,
    }
    env = StreamExecutionEnvironment.get_execution_environment(Configuration.from_dict(settings))
    env.set_parallelism(2)
    source = DataGeneratorSource(lambda n: n, None, RateLimiterStrategy.per_second(500), Types.LONG())
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Now())
    orders = env.from_source(source, strategy, "orders").map(FailsOnce(str(directory / "failed"))).name("enrich")
    totals = orders.key_by(lambda n: n % 7).reduce(lambda a, b: a + b).uid("totals").name("totals")
    totals.filter(lambda _: False).print()
    client = env.execute_async(name)
    [job] = [one for one in registered_jobs(directory / "registry") if not one.is_over]
    TOKENS[job.rest] = Path(job.token_file).read_text()
    return Running(client, job.rest, f"{job.rest}/#/jobs/{client.get_job_id()}", directory)


@pytest.fixture(scope="module")
def job(tmp_path_factory):
    running = start(tmp_path_factory.mktemp("job"), f"orders {HOSTILE}")
    yield running
    running.client.cancel().result(PATIENCE)


@pytest.fixture
def guarded_job(tmp_path):
    running = start(tmp_path, **{"rest.token": TOKEN})
    del TOKENS[running.url]
    yield running
    running.client.cancel().result(PATIENCE)


@pytest.fixture
def other_job(tmp_path):
    running = start(tmp_path)
    yield running
    running.client.cancel().result(PATIENCE)


@pytest.fixture(scope="module")
def browser():
    chromium = next((path for path in map(shutil.which, CHROMIUM) if path), None)
    driver = shutil.which("chromedriver")
    if chromium is None or driver is None:
        pytest.skip("needs Chromium and chromedriver (Debian: apt-get install chromium chromium-driver)")
    webdriver = pytest.importorskip("selenium.webdriver")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    options.add_argument("--window-size=1360,1200")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    chrome = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    chrome.set_page_load_timeout(PATIENCE)
    chrome.set_script_timeout(PATIENCE)
    yield Page(chrome)
    chrome.quit()


class Page:
    """Waits for what is needed, however long the machine takes."""

    def __init__(self, chrome):
        self.chrome = chrome

    def open(self, address):
        url, _, _ = address.partition("/#")
        if url in TOKENS:
            self.chrome.get(f"{url}/openapi.json")  # a page of this server that runs nothing
            self.script("sessionStorage.setItem('flott-token', arguments[0])", TOKENS[url])
        # Only another part after the # would not load the page again.
        self.chrome.get("about:blank")
        self.chrome.get(address)

    def script(self, text, *arguments):
        return self.chrome.execute_script(f"return {text}", *arguments)

    def wait(self, condition, what="the condition of the test"):
        def look():
            return True if condition() else self.script("document.body?.innerText")

        wait_until(f"{what} on {self.chrome.current_url}", look, lambda seen: seen is True)

    def texts(self, selector):
        return self.script("[...document.querySelectorAll(arguments[0])].map((one) => one.textContent)", selector)

    def wait_for(self, selector, text=""):
        self.wait(lambda: any(text in one for one in self.texts(selector)), f"{text!r} in {selector!r}")

    def element(self, selector):
        self.wait_for(selector)
        return self.chrome.find_element("css selector", selector)

    def click(self, selector):
        self.element(selector)
        # The page draws itself anew each second: what was found may be another by the time of a click by position.
        self.chrome.execute_script("document.querySelector(arguments[0]).click()", selector)

    def dark(self, dark):
        feature = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})

    def complaints(self):
        return [one["message"] for one in self.chrome.get_log("browser")]
