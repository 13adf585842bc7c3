"""The pages of the app: where each is, who sees it, and when it is there."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from playwright.sync_api import Page

from tests.e2e.seeded import Seeded

ROUTER: Final = Path(__file__).parents[2] / "frontend/src/routes/router.tsx"
WINDOWS: Final = {1440: 900, 390: 844}
SCHEMES: Final[tuple[Literal["light", "dark"], ...]] = ("light", "dark")
Viewer = Literal["admin", "annotator", "nobody"]

_READY = """async () => {
    const isBusy = () => document.querySelector('[aria-busy="true"]');
    const images = () => [...document.images].filter((it) => it.loading !== "lazy");
    if (!document.querySelector("h1") || isBusy()) return false;
    await document.fonts.ready;
    return images().every((it) => it.complete);
}"""


@dataclass(frozen=True)
class View:
    """A page, or a state of one.

    Attributes:
        name: What it is called in reports and pictures.
        route: Its path in the router.
        path: Its address, with names of ``Seeded.ids`` in braces.
        viewer: Who looks at it.
        act: What to do there first, such as opening a dialog.
        part: What of it is looked at, where that lies over the rest.
    """

    name: str
    route: str
    path: str
    viewer: Viewer = "admin"
    act: Callable[[Page], None] | None = None
    part: str = "html"

    def open(self, page: Page, seeded: Seeded) -> None:
        """Go there and wait until nothing is loading any longer."""
        page.goto(self.path.format(**seeded.ids))
        ready(page)
        if self.act:
            self.act(page)
            ready(page)


def ready(page: Page) -> None:
    """Wait until the page has its heading and nothing is loading."""
    page.wait_for_function(_READY)


def recolour(page: Page, scheme: Literal["light", "dark"]) -> None:
    """Ask for another colour scheme and wait until everything has its colours."""
    page.emulate_media(color_scheme=scheme)
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def _press(*keys: str) -> Callable[[Page], None]:
    def act(page: Page) -> None:
        for key in keys:
            page.keyboard.press(key)

    return act


def _click(selector: str) -> Callable[[Page], None]:
    def act(page: Page) -> None:
        page.locator(selector).first.click()

    return act


def _open_details(page: Page) -> None:
    for summary in page.locator("main details:not([open]) > summary").all():
        summary.click()


PROJECT: Final = "/projects/:projectId"
VIEWS: Final = (
    View("sign-in", "/login", "/login", "nobody"),
    View("home", "/", "/"),
    View("home-annotator", "/", "/", "annotator"),
    View("account-menu", "/", "/", act=_click("header button[aria-expanded]"), part="header"),
    View("new-project", "/projects/new", "/projects/new"),
    View("project", PROJECT, "/projects/{project}"),
    View("project-draft", PROJECT, "/projects/{draft}"),
    View("project-noisy", PROJECT, "/projects/{noisy}"),
    View("jobs", f"{PROJECT}/jobs", "/projects/{noisy}/jobs"),
    View("jobs-parameters", f"{PROJECT}/jobs", "/projects/{project}/jobs", act=_open_details),
    View("job-prune", f"{PROJECT}/jobs/:jobId", "/projects/{noisy}/jobs/{pruned}"),
    View("job-relabel", f"{PROJECT}/jobs/:jobId", "/projects/{noisy}/jobs/{relabeled}"),
    View("job-compare", f"{PROJECT}/jobs/:jobId", "/projects/{project}/jobs/{compared}"),
    View("subsets", f"{PROJECT}/subsets", "/projects/{noisy}/subsets"),
    View("settings", f"{PROJECT}/settings", "/projects/{project}/settings"),
    View("settings-draft", f"{PROJECT}/settings", "/projects/{draft}/settings"),
    View("label", f"{PROJECT}/label", "/projects/{project}/label", "annotator"),
    View("label-help", f"{PROJECT}/label", "/projects/{project}/label", "annotator", _press("h")),
    View("label-waiting", f"{PROJECT}/label", "/projects/{draft}/label"),
    View("review", f"{PROJECT}/review/:jobId", "/projects/{noisy}/review/{relabeled}"),
    View("users", "/users", "/users"),
    View("algorithm", "/algorithms/:kind/:name", "/algorithms/strategy/mqnet"),
    View("account", "/account", "/account"),
    View("not-found", "/*", "/nothing/here"),
)

_TOKEN = re.compile(r'path: "(?P<path>[^"]+)"|(?P<index>index: true)|(?P<open>\{)|(?P<close>\})')


def routes() -> Iterator[str]:
    """The paths that the router has, those of layouts left out."""
    stack: list[str] = []
    layouts: set[str] = set()
    found: set[str] = set()
    for token in _TOKEN.finditer(ROUTER.read_text()):
        parent = "/".join(one.strip("/") for one in stack if one.strip("/"))
        if token["open"]:
            stack.append("")
        elif token["close"]:
            stack.pop()
        elif token["index"]:
            layouts.add(f"/{parent}")
            found.add(f"/{parent}#index")
        else:
            stack[-1] = token["path"]
            inner = "/".join(one.strip("/") for one in stack if one.strip("/"))
            found.add(f"/{inner}")
    for route in sorted(found):
        path, _, index = route.partition("#")
        if index or path not in layouts:
            yield path
