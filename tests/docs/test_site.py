"""The site as a reader has it: complete, offline, at both widths and in both schemes."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.chromium import launched
from tests.e2e.test_accessibility import add_axe, violations
from tests.e2e.views import SCHEMES, WINDOWS
from tests.processes import ROOT

# One of each sort.
SHOWN: Final = (
    "",
    "tutorial/",
    "reference/http/labeling/",
    "reference/cli/",
    "reference/python/",
    "algorithms/strategy-mqnet/",
)
# Tables are made scrollable by the theme; browsers let keys scroll them all the same.
_LEFT_OUT: Final = {"scrollable-region-focusable"}


class _Silent(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Builds it with its links checked, and serves it; the address."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-d", str(folder)]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Silent, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with launched() as found:
        yield found


@pytest.fixture
def page(browser: Browser, site: str) -> Iterator[Page]:
    """A page that fails the test on script errors, and on requests to elsewhere."""
    context = browser.new_context(base_url=site, reduced_motion="reduce")
    add_axe(context)
    found = context.new_page()
    faults: list[str] = []
    found.on("pageerror", lambda error: faults.append(str(error)))
    found.on(
        "request",
        lambda one: None if one.url.startswith((site, "data:")) else faults.append(one.url),
    )
    yield found
    context.close()
    assert faults == []


@pytest.mark.parametrize("path", SHOWN)
def test_pages_are_offline_fit_and_accessible(page: Page, path: str) -> None:
    for scheme, (width, height) in zip(SCHEMES, WINDOWS.items(), strict=True):
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": height})
        page.goto(f"/{path}", wait_until="networkidle")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        found = violations(page, "article")
        assert [one for one in found if one["id"] not in _LEFT_OUT] == []


def test_the_search_finds_a_route(page: Page) -> None:
    page.goto("/")
    # By keys: a text that is put there at once would not be noticed.
    page.get_by_role("textbox", name="Search").press_sequentially("unsure ood skip")
    found = page.locator(".md-search-result__link")
    expect(found.first).to_be_visible()
    found.first.click()
    expect(page.locator("article")).to_contain_text("OOD")


def test_every_picture_is_there(site: str, page: Page) -> None:
    page.goto(f"{site}/screens/", wait_until="networkidle")
    broken = "[...document.images].filter((one) => !one.naturalWidth).map((one) => one.src)"
    assert page.evaluate(broken) == []
    assert page.locator("article img").count() > 20


def test_pages_have_the_scheme_of_their_reader(page: Page) -> None:
    picture = Path("screens/label-1440")
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        page.goto("/")
        shown = page.locator(f"article img[src*='{picture}-{scheme}']")
        expect(shown).to_be_visible()
