"""Every page under axe, in both colour schemes and at both widths, and what axe cannot see."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from karat.local.stack import Stack
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
)
from tests.processes import ROOT

AXE = ROOT / "frontend/node_modules/axe-core/axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]

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

_RUN = """async ([part, tags]) => {
    const { violations } = await axe.run(part, {
        runOnly: { type: "tag", values: tags },
        rules: { "target-size": { enabled: true } },
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


@pytest.fixture(scope="module")
def contexts(
    browser: Browser, stack: Stack, seeded: Seeded
) -> Iterator[dict[Viewer, BrowserContext]]:
    found: dict[Viewer, BrowserContext] = {
        "admin": sign_in(browser, stack.url, seeded.admin),
        "annotator": sign_in(browser, stack.url, seeded.annotator),
        "nobody": sign_in(browser, stack.url, None),
    }
    yield found
    for context in found.values():
        context.close()


class Pages(dict[Viewer, Page]):
    """A page of each viewer, made when it is asked for: each is a process that has to start."""

    def __init__(self, contexts: Mapping[Viewer, BrowserContext]) -> None:
        super().__init__()
        self._contexts = contexts
        self.errors: list[list[str]] = []

    def __missing__(self, viewer: Viewer) -> Page:
        page = self._contexts[viewer].new_page()
        self.errors.append(complaints(page))
        self[viewer] = page
        return page


@pytest.fixture
def pages(contexts: dict[Viewer, BrowserContext]) -> Iterator[Pages]:
    """A page of each; script errors, and what the policy refuses, fail the test."""
    found = Pages(contexts)
    yield found
    for page in found.values():
        page.close()
    assert not any(found.errors), found.errors


def violations(page: Page, part: str) -> list[Any]:
    # Evaluated rather than added as a script, which a content security policy would refuse.
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.read_text())
    found: list[Any] = page.evaluate(_RUN, [part, RULES])
    return found


def test_every_route_is_walked() -> None:
    assert {view.route for view in VIEWS} == set(routes())


@pytest.fixture(scope="module")
def titles() -> dict[str, str]:
    """Routes by the titles of their pages, as they are walked."""
    return {}


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.name)
def test_a_page_has_no_violation(
    view: View, pages: Pages, seeded: Seeded, titles: dict[str, str]
) -> None:
    page = pages[view.viewer]
    found: dict[str, Any] = {}
    for width, height in WINDOWS.items():
        page.set_viewport_size({"width": width, "height": height})
        view.open(page, seeded)
        assert not page.evaluate(_WIDER_THAN_WINDOW), f"scrolls sideways at {width} px"
        assert page.evaluate(_BESIDE_CARDS) == [], f"runs out of its card at {width} px"
        for scheme in SCHEMES:
            recolour(page, scheme)
            if wrong := violations(page, view.part):
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


def test_the_verdicts_are_whole_in_korean(pages: Pages, seeded: Seeded) -> None:
    page = pages["annotator"]
    page.add_init_script("localStorage.setItem('karat.language', 'ko')")
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
def test_a_page_fits_in_korean(view: View, pages: Pages, seeded: Seeded) -> None:
    page = pages[view.viewer]
    page.add_init_script("localStorage.setItem('karat.language', 'ko')")
    for width, height in WINDOWS.items():
        page.set_viewport_size({"width": width, "height": height})
        view.open(page, seeded)
        assert page.locator("html").get_attribute("lang") == "ko"
        assert not page.evaluate(_WIDER_THAN_WINDOW), f"scrolls sideways at {width} px"
        assert page.evaluate(_BESIDE_CARDS) == [], f"runs out of its card at {width} px"
    assert any("가" <= one <= "힣" for one in page.locator("#root").inner_text())


@pytest.mark.parametrize("language", ["en", "ko"])
def test_annotators_read_plain_words(language: str, pages: Pages, seeded: Seeded) -> None:
    viewers: tuple[Viewer, Viewer] = ("admin", "annotator")
    for viewer in viewers:
        pages[viewer].add_init_script(f"localStorage.setItem('karat.language', '{language}')")
    for view in VIEWS:
        if view.name not in PLAIN:
            continue
        page = pages[view.viewer]
        view.open(page, seeded)
        said = page.locator("body").inner_text()
        found = [hit.group() for one in EXPERTS for hit in re.finditer(one, said, re.ASCII)]
        assert found == [], f"{view.name}: {said}"
    for viewer in viewers:
        pages[viewer].evaluate("localStorage.removeItem('karat.language')")
