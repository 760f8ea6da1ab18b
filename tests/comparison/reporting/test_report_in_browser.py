"""The report, opened by a real browser that is not told to be kind."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lit_roberta.comparison.reporting.report import write_report
from tests.comparison.planted import plant_results

selenium = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")

_CHROMIUM, _DRIVER = shutil.which("chromium"), shutil.which("chromedriver")

pytestmark = pytest.mark.skipif(
    not (_CHROMIUM and _DRIVER), reason="no chromium with its driver is installed"
)

_OVERLAPS = """
const found = [];
for (const chart of document.querySelectorAll("svg.chart")) {
  const boxes = [...chart.querySelectorAll("text")].map(text => [text.textContent,
  text.getBoundingClientRect()]); for (let i = 0; i < boxes.length; i++) for (let j = 0; j < i;
  j++) {
    const [a, b] = [boxes[i][1], boxes[j][1]];
    const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
    const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
    if (wide > 1 && high > 3) found.push(boxes[i][0] + " | " + boxes[j][0]);
  }
}
return found;
"""

_OUTSIDE = """
return [...document.querySelectorAll("svg.chart text")].filter(text => {
  const [box, chart] = [text.getBoundingClientRect(),
  text.closest("svg.chart").getBoundingClientRect()]; return box.left < chart.left - 1 ||
  box.right > chart.right + 1;
}).map(text => text.textContent);
"""

_DRAWN = """
return [...document.querySelectorAll("svg.chart")].map(chart => {
  const box = chart.getBoundingClientRect();
  const shapes = [...chart.querySelectorAll("path, use")].filter(shape => {
    const inner = shape.getBoundingClientRect();
    return inner.width > 0 || inner.height > 0;
  });
  return [chart.querySelector("title").textContent, box.width, box.height, shapes.length];
});
"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    write_report(plant_results(), folder)
    return folder / "report.html"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    options = selenium.ChromeOptions()
    options.binary_location = _CHROMIUM
    for flag in (
        "--headless=new",
        "--no-sandbox",
        "--disable-dev-shm-usage",
        "--disable-background-networking",
        "--disable-component-update",
        "--no-first-run",
    ):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = selenium.Chrome(options=options, service=selenium.ChromeService(_DRIVER))
    yield driver
    driver.quit()


def _open(browser: Any, page: Path, *, width: int) -> None:
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600},
    )
    browser.get(page.as_uri())


def test_the_browser_has_nothing_to_complain_about_and_nothing_to_fetch(
    browser: Any, page: Path
) -> None:
    _open(browser, page, width=1000)
    assert browser.get_log("browser") == []
    messages = [
        json.loads(entry["message"])["message"] for entry in browser.get_log("performance")
    ]
    requests = [
        message["params"]["request"]["url"]
        for message in messages
        if message["method"] == "Network.requestWillBeSent"
    ]
    assert requests
    assert all(url.startswith(("file:", "data:")) for url in requests)


def test_every_chart_is_drawn(browser: Any, page: Path) -> None:
    _open(browser, page, width=1000)
    drawn = browser.execute_script(_DRAWN)
    assert len(drawn) == 5
    for title, width, height, shapes in drawn:
        assert title
        assert min(width, height) > 100, title
        assert shapes > 5, title


@pytest.mark.parametrize("width", [390, 1000])
def test_labels_stay_apart_and_inside(browser: Any, page: Path, width: int) -> None:
    _open(browser, page, width=width)
    assert browser.execute_script(_OVERLAPS) == []
    assert browser.execute_script(_OUTSIDE) == []


def test_the_page_fits_a_phone(browser: Any, page: Path) -> None:
    _open(browser, page, width=390)
    assert browser.execute_script("return document.documentElement.scrollWidth") <= 390


def test_dark_is_dark(browser: Any, page: Path) -> None:
    colours = []
    for scheme in ("light", "dark"):
        browser.execute_cdp_cmd(
            "Emulation.setEmulatedMedia",
            {"features": [{"name": "prefers-color-scheme", "value": scheme}]},
        )
        _open(browser, page, width=1000)
        colours.append(
            browser.execute_script(
                "const text = document.querySelector('svg.chart text');"
                "return [getComputedStyle(document.body).backgroundColor,"
                "        getComputedStyle(text).fill];"
            )
        )
    (light_paper, light_ink), (dark_paper, dark_ink) = colours
    assert light_paper == "rgb(254, 254, 254)"
    assert dark_paper == "rgb(17, 21, 26)"
    assert light_ink != dark_ink
