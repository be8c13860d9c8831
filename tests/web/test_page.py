"""The page of a running job, in a real browser."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.web.conftest import HOSTILE, TOKEN

from flott.rest.attach import served_jobs, url_of

pytestmark = pytest.mark.job

ROWS = ".card:last-child tbody tr"


def records_read(page):
    """Return what the table says the source has read; 0 while the table is drawn anew."""
    rows = page.script(
        "[...document.querySelectorAll('.tab .card:last-child tbody tr:first-child td')].map((c) => c.textContent)"
    )
    return int(rows[3].replace(",", "")) if len(rows) > 3 else 0


def test_the_list_leads_to_the_job(browser, job):
    browser.open(job.url)
    browser.wait_for("td a", f"orders {HOSTILE}")
    browser.click("td a")
    browser.wait_for("h1", f"orders {HOSTILE}")
    browser.wait_for("#live", "live")
    assert browser.chrome.current_url == f"{job.url}/#/jobs/{job.client.get_job_id()}"


def test_the_graph_has_the_vertices_and_edges_of_the_job(browser, job):
    browser.open(job.page)
    plan = job.client.master.plan
    browser.wait(lambda: len(browser.texts(".graph .vertex")) == len(plan.vertices))
    names = browser.script("[...document.querySelectorAll('.graph .vertex title')].map((one) => one.textContent)")
    assert sorted(names) == sorted(vertex.name for vertex in plan.vertices)
    ids = browser.script("[...document.querySelectorAll('.graph .vertex')].map((one) => one.id)")
    assert sorted(ids) == sorted(f"vertex-{vertex.id}" for vertex in plan.vertices)
    assert len(browser.texts(".graph .edge")) == len(plan.edges)
    assert browser.texts(".graph .ship") == ["hash"]
    assert all("\u00d72" in text for text in browser.texts(".graph .vertex"))


def test_the_numbers_move(browser, job):
    browser.open(job.page)
    browser.wait(lambda: records_read(browser) > 0)
    before = records_read(browser)
    browser.wait(lambda: records_read(browser) > before)


def test_a_vertex_opens_by_keyboard_and_stays_open(browser, job):
    browser.open(job.page)
    browser.element(".graph .vertex")
    browser.script("document.querySelectorAll('.graph .vertex')[1].focus()")
    browser.chrome.switch_to.active_element.send_keys("\n")
    browser.wait_for("h2", "Subtasks of totals")
    before = records_read(browser)
    browser.wait(lambda: records_read(browser) > before)
    assert browser.script("document.activeElement.classList.contains('vertex')")
    assert "Subtasks of totals" in " ".join(browser.texts("h2"))


def test_the_savepoint_button_takes_one(browser, job):
    browser.open(job.page)
    browser.click("#do-savepoint")
    browser.wait_for("dialog h2", "Take a savepoint")
    browser.click("dialog button.main")
    browser.wait_for(".notice.good", "Savepoint is at ")
    said = browser.texts(".notice.good p")[0]
    path = Path(said.removeprefix("Savepoint is at ").removeprefix("file://"))
    assert (path / "_metadata").exists()
    assert path.is_relative_to(job.directory / "savepoints")
    browser.open(f"{job.page}/checkpoints")
    browser.wait_for("td", "savepoint")


def test_what_comes_from_users_is_text(browser, job):
    browser.open(f"{job.page}/exceptions")
    browser.wait_for(".failure .cause", f"no such city: {HOSTILE}")
    assert browser.script("document.querySelectorAll('main img, main script').length") == 0
    assert browser.script("window.pwned ?? null") is None


@pytest.mark.parametrize(
    ("tab", "selector", "text"),
    [
        ("epochs", ".timeline .epoch", "compute"),
        ("subtasks", "h2", "Source: orders"),
        ("checkpoints", "td .mono", "chk-"),
        ("metrics", "td .mono", "numRestarts"),
        ("configuration", "td .mono", "execution.checkpointing.interval"),
    ],
)
def test_every_tab_shows_its_part(browser, job, tab, selector, text):
    browser.open(f"{job.page}/{tab}")
    browser.wait_for(selector, text)


def test_metrics_of_functions_are_found_by_name(browser, job):
    browser.open(f"{job.page}/metrics")
    browser.wait_for(".choices button", "Source: orders -> enrich")
    browser.chrome.execute_script("[...document.querySelectorAll('.choices button')][1].click()")
    browser.element("#find").send_keys("seenbyme")
    browser.wait(lambda: browser.texts(f"{ROWS} td:first-child") == ["0.enrich.seenByMe", "1.enrich.seenByMe"])


def test_light_and_dark_follow_the_system_or_the_switch(browser, job):
    browser.dark(True)
    browser.open(job.page)
    assert browser.script("document.documentElement.dataset.theme") == "dark"
    browser.dark(False)
    browser.wait(lambda: browser.script("document.documentElement.dataset.theme") == "light")
    browser.click("#theme")
    browser.click("#theme")
    assert browser.texts("#theme") == ["Theme: dark"]
    assert browser.script("document.documentElement.dataset.theme") == "dark"
    browser.open(job.page)
    assert browser.script("document.documentElement.dataset.theme") == "dark"
    browser.chrome.execute_script("localStorage.clear()")


WRITTEN = {
    "compact": [
        (0, "0"),
        (999.4, "999"),
        (9_999, "9,999"),
        (12_345, "12.3 k"),
        (1_234_567, "1.23 M"),
        (2.5e9, "2.50 G"),
    ],
    "bytes": [(0, "0 B"), (999, "999 B"), (1_500, "1.5 kB"), (123_456, "123 kB"), (-1, "\u2013"), (None, "\u2013")],
    "duration": [
        (0, "0 ms"),
        (0.44, "0.4 ms"),
        (42, "42 ms"),
        (1_250, "1.3 s"),
        (61_000, "1 min 1 s"),
        (3_725_000, "1 h 2 min"),
        (90_000_000, "1 d 1 h"),
        (None, "\u2013"),
        (-1, "\u2013"),
    ],
    "watermark": [(None, "\u2013"), (-(2**63), "\u2013"), (2**63 - 1, "end of input"), (1_500, "1,500")],
    "percent": [(0.256, "26 %"), (None, "\u2013")],
    "factor": [(1.26, "1.3\u00d7")],
}


@pytest.mark.parametrize("name", WRITTEN)
def test_numbers_are_written_for_people(browser, job, name):
    browser.open(job.url)
    values, expected = zip(*WRITTEN[name], strict=True)
    script = (
        "const [name, values, done] = arguments;"
        "import('/js/format.js').then((format) => done(values.map((one) => format[name](one))));"
    )
    assert browser.chrome.execute_async_script(script, name, list(values)) == list(expected)


def test_it_loads_nothing_from_elsewhere_and_nothing_complains(browser, job):
    browser.complaints()
    browser.open(job.page)
    browser.wait(lambda: records_read(browser) > 0)
    loaded = browser.script("performance.getEntriesByType('resource').map((one) => one.name)")
    assert len(loaded) > 20
    assert all(one.startswith(job.url) for one in loaded)
    assert browser.complaints() == []


def test_the_cancel_button_asks_and_cancels(browser, other_job):
    browser.open(other_job.page)
    browser.click("#do-cancel")
    browser.wait_for("dialog h2", "Cancel this job?")
    browser.click("dialog button:not(.danger)")
    browser.wait(lambda: not browser.texts("dialog"))
    assert not other_job.client.get_job_status().result().is_terminal_state()
    browser.click("#do-cancel")
    browser.click("dialog button.danger")
    browser.wait_for(".notice.good", "being cancelled")
    browser.wait(lambda: other_job.client.get_job_status().result().name == "CANCELED")


def test_the_token_is_asked_for_until_it_is_right(browser, guarded_job):
    browser.open(guarded_job.page)
    for token in ("wrong", TOKEN):
        browser.wait_for("dialog h2", "This page needs a token")
        browser.wait(lambda: browser.script("document.querySelectorAll('dialog input').length") == 1)
        assert browser.texts("h1") == []
        browser.element("dialog input").send_keys(token)
        browser.click("dialog button.main")
        browser.wait(lambda: browser.script("document.querySelector('dialog input')?.value ?? ''") == "")
    browser.wait_for("h1", "orders")
    browser.click("#do-cancel")
    browser.click("dialog button.danger")
    browser.wait_for(".notice.good", "being cancelled")
    browser.wait(lambda: guarded_job.client.get_job_status().result().name == "CANCELED")


def test_a_link_opens_the_page_once(browser, guarded_job):
    [job] = [one for one in served_jobs() if one.id == str(guarded_job.client.get_job_id())]
    link = url_of(job, with_code=True)
    browser.open(link)
    browser.wait_for("h1", "orders")
    assert browser.chrome.current_url == guarded_job.page
    browser.script("sessionStorage.clear()")
    browser.open(link)
    browser.wait_for("dialog h2", "This page needs a token")


def test_a_reader_without_a_token_is_not_asked_again_and_again(browser, guarded_job):
    browser.open(guarded_job.url)
    browser.wait_for("dialog h2", "This page needs a token")
    browser.chrome.execute_script(
        "const before = window.fetch; window.asked = 0;"
        "window.fetch = (...all) => { window.asked += 1; return before(...all); }",
    )
    browser.click("dialog button:not(.main)")
    browser.wait_for(".hint.bad", "show a token")
    before = browser.script("window.asked")
    browser.wait(lambda: browser.script("window.asked") > before + 1)
    assert browser.texts("dialog") == []


def test_a_mistyped_address_and_the_skip_link_lead_nowhere_else(browser, job):
    browser.open(f"{job.url}/#/jobs/%E0%A4%A")
    browser.wait_for(".hint.bad")
    browser.open(job.page)
    browser.wait_for(".graph .vertex")
    browser.click(".skip")
    assert browser.script("document.activeElement.id") == "content"
    assert browser.chrome.current_url == job.page


def test_without_an_answer_the_page_says_so(browser, other_job):
    browser.open(other_job.page)
    browser.wait(lambda: records_read(browser) > 0)
    browser.chrome.execute_cdp_cmd("Network.enable", {})
    offline = {"offline": True, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0}
    browser.chrome.execute_cdp_cmd("Network.emulateNetworkConditions", offline)
    try:
        browser.wait_for("#live", "no answer from the driver")
        assert records_read(browser) > 0
    finally:
        online = {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
        browser.chrome.execute_cdp_cmd("Network.emulateNetworkConditions", online)
    browser.wait(lambda: browser.texts("#live") == ["live"])
