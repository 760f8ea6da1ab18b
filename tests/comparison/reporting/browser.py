"""A real browser that is not told to be kind, for tests of pages."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")

_FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
)

OVERLAPS = """
const found = [];
for (const chart of document.querySelectorAll("svg.chart")) {
  const boxes = [...chart.querySelectorAll("text")].map(
    text => [text.textContent, text.getBoundingClientRect()]);
  for (let i = 0; i < boxes.length; i++) for (let j = 0; j < i; j++) {
    const [a, b] = [boxes[i][1], boxes[j][1]];
    const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
    const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
    if (wide > 1 && high > 3) found.push(boxes[i][0] + " | " + boxes[j][0]);
  }
}
return found;
"""
"""Letters of charts that lie on each other."""

PROSE_OVERLAPS = """
const kinds = "h1, h2, h3, p, li, figcaption, label, summary, pre, .wide, .drawn";
const boxes = [...document.querySelectorAll(kinds)]
  .filter(each => each.getClientRects().length && !each.querySelector("p, li, ul"))
  .filter(each => each.tagName == "SUMMARY" || !each.closest("details:not([open])"))
  .map(each => [each, each.getBoundingClientRect()]);
const found = [];
for (let i = 0; i < boxes.length; i++) for (let j = Math.max(0, i - 60); j < i; j++) {
  const [one, a] = boxes[i], [other, b] = boxes[j];
  if (one.contains(other) || other.contains(one)) continue;
  const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
  const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  const words = [one, other].map(each => each.textContent.trim().slice(0, 40));
  if (wide > 1 && high > 2) found.push(words.join(" | "));
}
return found;
"""
"""Paragraphs, headings, lists and captions that lie on each other."""

OUTSIDE = """
return [...document.querySelectorAll("svg.chart text")].filter(text => {
  const box = text.getBoundingClientRect();
  const chart = text.closest("svg.chart").getBoundingClientRect();
  return box.width && (box.left < chart.left - 1 || box.right > chart.right + 1
    || box.top < chart.top - 1 || box.bottom > chart.bottom + 1);
}).map(text => text.textContent);
"""
"""Letters of charts that are cut off."""

DRAWN = """
return [...document.querySelectorAll("svg.chart")].map(chart => {
  const box = chart.getBoundingClientRect();
  const shapes = [...chart.querySelectorAll("path, use")].filter(shape => {
    const inner = shape.getBoundingClientRect();
    return inner.width > 0 || inner.height > 0;
  });
  return [chart.querySelector("title").textContent, box.width, box.height, shapes.length];
}).filter(chart => chart[1]);
"""
"""Title, size and number of shapes of each chart that is shown."""


@contextmanager
def open_browser(webdriver: Any) -> Iterator[Any]:
    """Start the browser, and end it."""
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in _FLAGS:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    yield driver
    driver.quit()


def show(
    browser: Any,
    page: Path,
    *,
    width: int,
    scheme: str = "light",
    media: str = "screen",
    scripts: bool = True,
) -> None:
    """Open a page at a width, in light or dark, with its scripts or without."""
    for command, values in (
        (
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600},
        ),
        (
            "Emulation.setEmulatedMedia",
            {"media": media, "features": [{"name": "prefers-color-scheme", "value": scheme}]},
        ),
        ("Emulation.setScriptExecutionDisabled", {"value": not scripts}),
    ):
        browser.execute_cdp_cmd(command, values)
    browser.get(page.as_uri())


def requests_of(browser: Any) -> list[str]:
    """Name everything that was asked for since the last time."""
    messages = [
        json.loads(entry["message"])["message"] for entry in browser.get_log("performance")
    ]
    return [
        message["params"]["request"]["url"]
        for message in messages
        if message["method"] == "Network.requestWillBeSent"
    ]
