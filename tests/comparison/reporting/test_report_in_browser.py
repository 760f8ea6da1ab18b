"""The report, opened by a real browser that is not told to be kind."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lit_roberta.comparison.reporting.report import write_report
from lit_roberta.comparison.results import Results
from tests.comparison.planted import DOCUMENTS, PAIRS, plant_results
from tests.comparison.planted_designs import (
    AXES,
    plant_grid,
    plant_ladder,
    plant_orders,
    plant_tasks,
)
from tests.comparison.reporting.browser import (
    CHROMIUM,
    DRAWN,
    DRIVER,
    OUTSIDE,
    OVERLAPS,
    PROSE_OVERLAPS,
    open_browser,
    requests_of,
    show,
)

selenium = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")

pytestmark = pytest.mark.skipif(
    not (CHROMIUM and DRIVER), reason="no chromium with its driver is installed"
)

_UNITS = ("tokens", "updates", "sequences", "passes", "flops", "seconds")
_WIDTHS = (400, 1400)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    write_report(plant_results(), folder)
    return folder / "report.html"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with open_browser(selenium) as driver:
        yield driver


def test_the_browser_has_nothing_to_complain_about_and_nothing_to_fetch(
    browser: Any, page: Path
) -> None:
    show(browser, page, width=1000)
    assert browser.get_log("browser") == []
    requests = requests_of(browser)
    assert requests
    assert all(url.startswith(("file:", "data:")) for url in requests)


def test_every_chart_is_drawn(browser: Any, page: Path) -> None:
    show(browser, page, width=1000)
    drawn = browser.execute_script(DRAWN)
    assert len(drawn) == 7
    for title, width, height, shapes in drawn:
        assert title
        assert min(width, height) > 100, title
        assert shapes > 5, title


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", _WIDTHS)
def test_nothing_lies_on_anything_else_and_nothing_is_cut_off(
    browser: Any, page: Path, width: int, scheme: str
) -> None:
    show(browser, page, width=width, scheme=scheme)
    for unit in _UNITS:
        browser.execute_script(f"document.getElementById('by-{unit}').click()")
        assert browser.execute_script(OVERLAPS) == []
        assert browser.execute_script(OUTSIDE) == []
    assert browser.execute_script(PROSE_OVERLAPS) == []
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("arms", [10, pytest.param(24, marks=pytest.mark.slow)])
def test_many_recipes_stay_readable(browser: Any, tmp_path: Path, arms: int) -> None:
    losses = {
        f"lr-{place}e-4.batch_size-{2**place % 511}": {PAIRS: 3 + place / 9, DOCUMENTS: 4.0}
        for place in range(arms)
    }
    write_report(plant_results(seeds=3, losses=losses), tmp_path)
    for width in _WIDTHS:
        show(browser, tmp_path / "report.html", width=width)
        assert browser.execute_script(OVERLAPS) == []
        assert browser.execute_script(OUTSIDE) == []
        assert browser.execute_script("return document.documentElement.scrollWidth") <= width
        heights = [height for _, _, height, _ in browser.execute_script(DRAWN)]
        assert max(heights) < 1600


@pytest.mark.slow  # half a minute each
@pytest.mark.parametrize(
    "results",
    [plant_ladder(), plant_grid(AXES), plant_orders(), plant_tasks()],
    ids=["ladder", "grid", "orders", "tasks"],
)
def test_every_design_has_its_pictures_in_full(
    browser: Any, tmp_path: Path, results: Results
) -> None:
    write_report(results, tmp_path)
    for width in _WIDTHS:
        show(browser, tmp_path / "report.html", width=width)
        assert browser.get_log("browser") == []
        assert len(browser.execute_script(DRAWN)) > 7
        assert browser.execute_script(OVERLAPS) == []
        assert browser.execute_script(OUTSIDE) == []
        assert browser.execute_script(PROSE_OVERLAPS) == []
        assert browser.execute_script("return document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("scripts", [True, False])
def test_the_unit_of_the_curves_can_be_chosen_with_and_without_scripts(
    browser: Any, page: Path, scripts: bool
) -> None:
    show(browser, page, width=400, scripts=scripts)
    shown = [
        panel.get_attribute("id")
        for unit in _UNITS
        if browser.find_element("css selector", f"label[for=by-{unit}]").click() is None
        for panel in browser.find_elements("css selector", ".panel")
        if panel.is_displayed()
    ]
    assert shown == ["validation-loss", *(f"validation-loss-{unit}" for unit in _UNITS[1:])]


def test_values_are_shown_where_the_pointer_is_and_by_the_arrow_keys(
    browser: Any, page: Path
) -> None:
    show(browser, page, width=1400)
    picture = browser.find_element("css selector", "#validation-loss .picture")
    values = picture.find_element("css selector", ".values")
    assert not values.is_displayed()
    actions = selenium.ActionChains(browser)
    actions.move_to_element(picture).perform()
    assert values.is_displayed()
    for name in ("bert", "bert-10", "roberta"):
        assert name in values.text
    middle = values.text
    box = picture.rect
    actions.move_to_element_with_offset(picture, int(box["width"] * 0.47), 0).perform()
    assert values.text != middle
    # At the end stands what the curves end at, with the lowest and the highest run.
    run = plant_results().runs_of("roberta")
    ends = [each.curves.validation[-1][1] for each in run]
    mean = sum(ends) / len(ends)
    assert f"roberta {mean:.2f} ({min(ends):.2f} to {max(ends):.2f}) at 291,556" in values.text
    actions.move_to_element(browser.find_element("css selector", "h1")).perform()
    assert not values.is_displayed()
    browser.execute_script("arguments[0].focus()", picture)
    actions.send_keys(selenium.Keys.ARROW_LEFT).perform()
    assert values.is_displayed()


def test_on_paper_there_is_no_switch_and_all_is_light(browser: Any, page: Path) -> None:
    show(browser, page, width=794, scheme="dark", media="print")
    assert not browser.find_element("css selector", ".switch").is_displayed()
    paper = "return getComputedStyle(document.body).getPropertyValue('--paper').trim()"
    assert browser.execute_script(paper) == "#fefefe"
    assert len(browser.execute_script(DRAWN)) == 7


def test_dark_is_dark(browser: Any, page: Path) -> None:
    colours = []
    for scheme in ("light", "dark"):
        show(browser, page, width=1000, scheme=scheme)
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
