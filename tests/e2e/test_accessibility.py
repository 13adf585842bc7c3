"""Every page under axe, in both colour schemes and at both widths, and what axe cannot see."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from karat.local.stack import Stack
from tests.e2e import acts
from tests.e2e.chromium import complaints, sign_in
from tests.e2e.seeded import SMALL, Seeded, seed
from tests.e2e.views import (
    SCHEMES,
    VIEWS,
    WINDOWS,
    View,
    Viewer,
    painted,
    recolour,
    routes,
    settling,
    widened,
)
from tests.processes import ROOT

AXE = ROOT / "frontend/node_modules/axe-core/axe.min.js"
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
# The rules that look at colours. A scheme changes nothing else.
COLOURS = ["color-contrast", "link-in-text-block"]

# What annotators read; experts' words stand behind a hover at most.
PLAIN = (
    "home-annotator",
    "label",
    "label-help",
    "grid",
    "label-order",
    "label-waiting",
    "review",
    "review-disagreements",
)
EXPERTS: list[str] = json.loads((ROOT / "frontend/src/strings/experts.json").read_text())

_RUN = """async ([part, tags, rules]) => {
    const { violations } = await axe.run(part, {
        runOnly: rules ? { type: "rule", values: rules } : { type: "tag", values: tags },
        rules: rules ? {} : { "target-size": { enabled: true } },
        resultTypes: ["violations"],
    });
    return violations.map(({ id, help, nodes }) => ({
        id,
        help,
        nodes: nodes.map((node) => `${node.target.join(" ")}: ${node.failureSummary}`),
    }));
}"""

_WIDER_THAN_WINDOW = "document.documentElement.scrollWidth > document.documentElement.clientWidth"

# Words that reach over the edge of the card they are in, unless something cuts or scrolls them.
_BESIDE_CARDS = """() => {
    const found = [];
    for (const card of document.querySelectorAll('main section[class*="card"]')) {
        const edge = card.getBoundingClientRect().right + 1;
        const words = document.createTreeWalker(card, NodeFilter.SHOW_TEXT);
        while (words.nextNode()) {
            const node = words.currentNode;
            const range = document.createRange();
            range.selectNodeContents(node);
            if (!node.data.trim() || range.getBoundingClientRect().right <= edge) continue;
            let above = node.parentElement;
            while (above !== card && getComputedStyle(above).overflowX === "visible")
                above = above.parentElement;
            if (above === card) found.push(node.data);
        }
    }
    return found;
}"""


@pytest.fixture(scope="module")
def seeded(stack: Stack, tmp_path_factory: pytest.TempPathFactory) -> Seeded:
    return seed(stack, tmp_path_factory.mktemp("seeded"), SMALL)


class Pages(dict[Viewer, Page]):
    """A page of each viewer, made when it is asked for and then kept.

    Each is a process that has to start, and to compile what the pages before it have.
    """

    def __init__(
        self, browser: Browser, url: str, seeded: Seeded, language: Literal["en", "ko"]
    ) -> None:
        super().__init__()
        self._browser, self._url, self._language = browser, url, language
        self._logins = {"admin": seeded.admin, "annotator": seeded.annotator, "nobody": None}
        self.errors: list[list[str]] = []
        self.shown: dict[Viewer, View] = {}

    def __missing__(self, viewer: Viewer) -> Page:
        context = sign_in(self._browser, self._url, self._logins[viewer])
        context.add_init_script(f"localStorage.setItem('karat.language', '{self._language}')")
        if self._language == "en":
            add_axe(context)
        page = context.new_page()
        self.errors.append(complaints(page))
        self[viewer] = page
        return page

    @contextmanager
    def watched(self) -> Iterator["Pages"]:
        """Script errors within, and what the policy refuses, are the test's that is within."""
        yield self
        found = [error for errors in self.errors for error in errors]
        for errors in self.errors:
            errors.clear()
        assert found == []

    def close(self) -> None:
        for page in self.values():
            page.context.close()


@pytest.fixture(scope="module")
def english_pages(browser: Browser, stack: Stack, seeded: Seeded) -> Iterator[Pages]:
    found = Pages(browser, stack.url, seeded, "en")
    yield found
    found.close()


@pytest.fixture(scope="module")
def korean_pages(browser: Browser, stack: Stack, seeded: Seeded) -> Iterator[Pages]:
    found = Pages(browser, stack.url, seeded, "ko")
    yield found
    found.close()


@pytest.fixture
def pages(english_pages: Pages) -> Iterator[Pages]:
    """Of each viewer one."""
    with english_pages.watched() as found:
        yield found


@pytest.fixture
def korean(korean_pages: Pages) -> Iterator[Pages]:
    """Of each viewer one, in Korean."""
    with korean_pages.watched() as found:
        yield found


def add_axe(context: BrowserContext) -> None:
    """Have axe in every page of a profile.

    The browser keeps it, where half a megabyte would have to be sent to each page; and no content
    security policy refuses it, as it would a script that is added to the page.
    """
    context.add_init_script(path=AXE)


def violations(page: Page, part: str, rules: list[str] | None = None) -> list[Any]:
    """What axe, which the page has, finds by ``rules``, or by all that there are for the web."""
    found: list[Any] = page.evaluate(_RUN, [part, TAGS, rules])
    return found


def test_every_route_is_walked() -> None:
    assert {view.route for view in VIEWS} == set(routes())


@pytest.fixture(scope="module")
def titles() -> dict[str, str]:
    """Routes by the titles of their pages, as they are walked."""
    return {}


def _fits(page: Page, view: View, width: int) -> None:
    """Nothing reaches beyond its place, and annotators read plain words."""
    if view.act is acts.asked:
        view.act(page)
    assert not page.evaluate(_WIDER_THAN_WINDOW), f"scrolls sideways at {width} px"
    assert page.evaluate(_BESIDE_CARDS) == [], f"runs out of its card at {width} px"
    if view.name in PLAIN:
        said = page.locator("body").inner_text()
        found = [hit.group() for one in EXPERTS for hit in re.finditer(one, said, re.ASCII)]
        assert found == [], said


def test_what_annotators_read_is_walked() -> None:
    assert {view.name for view in VIEWS} >= set(PLAIN)


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.name)
def test_a_page_has_no_violation(
    view: View, pages: Pages, seeded: Seeded, titles: dict[str, str]
) -> None:
    page = pages[view.viewer]
    found: dict[str, Any] = {}
    schemes = list(SCHEMES)
    open_ = partial(view.open, page, seeded)
    for width in widened(page, open_, anew=view.opens):
        _fits(page, view, width)
        # Each begins as the last has ended: to colour a page anew takes as long as to look at it.
        schemes.reverse()
        for scheme in schemes:
            recolour(page, scheme)
            rules = None if scheme == SCHEMES[0] else COLOURS
            if wrong := violations(page, view.part, rules):
                found[f"{width} px, {scheme}"] = wrong
    assert found == {}
    assert page.locator("h1").count() == 1
    assert page.title() not in ("", "Karat")
    if view.act is None and view.viewer == "admin" and "{noisy}" not in view.path:
        assert titles.setdefault(page.title(), view.route) == view.route


def test_another_page_takes_the_focus_and_is_announced(
    pages: Pages,
) -> None:
    page = pages["admin"]
    with settling(page):
        page.goto("/")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#content")).to_be_focused()

    page.get_by_role("link", name="Admin", exact=True).focus()
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Admin", level=1).wait_for()
    expect(page.locator("#content")).to_be_focused()
    expect(page.locator("[aria-live=polite]").first).to_contain_text("Users")


def test_another_page_begins_at_its_top(pages: Pages, seeded: Seeded) -> None:
    page = pages["admin"]
    page.set_viewport_size({"width": 390, "height": 500})
    with settling(page):
        page.goto("/projects/{project}".format(**seeded.ids))
    link = page.get_by_role("link", name="Round 1", exact=True)
    link.scroll_into_view_if_needed()
    assert page.evaluate("scrollY") > 0
    with settling(page):
        link.click()
    assert page.evaluate("scrollY") == 0
    # From round to round the window stays, so that they can be compared.
    page.evaluate("scrollTo(0, 100)")
    with settling(page):
        page.keyboard.press("ArrowLeft")
    page.wait_for_url("**/rounds/0*")
    assert page.evaluate("scrollY") == 100


def test_a_dialog_keeps_the_focus_and_gives_it_back(pages: Pages) -> None:
    page = pages["admin"]
    page.goto("/account")
    opener = page.get_by_role("button", name="New token")
    opener.focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog")
    dialog.wait_for()
    for _ in range(12):
        page.keyboard.press("Tab")
        # Between the last control and the first, the browser's own bars have their turn.
        assert page.evaluate(
            "document.activeElement === document.body"
            " || document.activeElement.closest('dialog') !== null"
        )
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(opener).to_be_focused()


def test_the_theme_is_chosen_and_kept(pages: Pages) -> None:
    page = pages["admin"]
    page.emulate_media(color_scheme="light")
    with settling(page):
        page.goto("/")
    ground = "getComputedStyle(document.documentElement).backgroundColor"
    light = page.evaluate(ground)
    page.get_by_role("button", name="Account of").click()
    # A radio is hidden behind its label, and chosen by keys or by the label.
    page.get_by_role("radio", name="System").focus()
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_role("radio", name="Dark")).to_be_checked()
    painted(page)
    dark = page.evaluate(ground)
    assert dark != light
    page.reload()
    assert page.evaluate(ground) == dark
    page.get_by_role("button", name="Account of").click()
    page.get_by_role("radiogroup", name="Theme").or_(
        page.get_by_role("group", name="Theme")
    ).get_by_text("System").click()
    painted(page)
    assert page.evaluate(ground) == light


def test_nothing_moves_when_motion_is_unwanted(pages: Pages) -> None:
    page = pages["admin"]
    with settling(page):
        page.goto("/")
    longest = page.evaluate(
        """() => Math.max(...[...document.querySelectorAll("*")].flatMap((element) => {
            const { transitionDuration, animationDuration } = getComputedStyle(element);
            return [transitionDuration, animationDuration].join(", ").split(", ").map(parseFloat);
        }))"""
    )
    assert longest <= 0.001


def test_a_table_that_is_cut_says_so_and_scrolls_by_keys(pages: Pages) -> None:
    page = pages["admin"]
    page.set_viewport_size({"width": 390, "height": 844})
    with settling(page):
        page.goto("/admin/workers")
    table = page.get_by_role("group", name="Processes, scrolls sideways")
    table.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => document.activeElement.scrollLeft > 0")
    page.set_viewport_size({"width": 1440, "height": 900})
    expect(page.get_by_role("group", name="Processes", exact=True)).to_be_visible()
    expect(page.get_by_text("Scroll sideways for more")).to_have_count(0)


_CUT_NAMES = """() => [...document.querySelectorAll("fieldset button *")]
    .filter((it) => it.scrollWidth > it.clientWidth && getComputedStyle(it).overflowX === "hidden")
    .map((it) => it.textContent)"""


def test_the_verdicts_are_whole_in_korean(korean: Pages, seeded: Seeded) -> None:
    page = korean["annotator"]
    for width, height in WINDOWS.items():
        page.set_viewport_size({"width": width, "height": height})
        with settling(page):
            page.goto("/projects/{project}/label".format(**seeded.ids))
        expect(page.get_by_role("button", name="건너뛰기")).to_be_visible()
        assert page.evaluate(_CUT_NAMES) == []


def test_what_waits_for_a_review_is_whole_where_one_labels(pages: Pages, seeded: Seeded) -> None:
    page = pages["admin"]
    for width, height in WINDOWS.items():
        page.set_viewport_size({"width": width, "height": height})
        with settling(page):
            page.goto("/projects/{noisy}/label".format(**seeded.ids))
        expect(page.get_by_role("link", name="Decide on")).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.name)
def test_a_page_fits_in_korean(view: View, korean: Pages, seeded: Seeded) -> None:
    page = korean[view.viewer]

    def open_() -> None:
        # Once: what is opened anew is loaded anew. In English, each page is opened by its address.
        view.open(page, seeded, korean.shown.pop(view.viewer, None))

    for width in widened(page, open_, anew=view.opens):
        assert page.locator("html").get_attribute("lang") == "ko"
        _fits(page, view, width)
    assert any("가" <= one <= "힣" for one in page.locator("#root").inner_text())
    korean.shown[view.viewer] = view
