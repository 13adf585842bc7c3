"""The pages of the app: where each is, who sees it, and when it is there."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from playwright.sync_api import Page, Request

from tests.e2e import acts
from tests.e2e.seeded import Seeded

ROUTER: Final = Path(__file__).parents[2] / "frontend/src/routes/router.tsx"
WINDOWS: Final = {1440: 900, 390: 844}
SCHEMES: Final[tuple[Literal["light", "dark"], ...]] = ("light", "dark")
Viewer = Literal["admin", "annotator", "nobody"]

_READY = """() => {
    const images = [...document.images].filter((it) => it.loading !== "lazy");
    return document.querySelector("h1") !== null
        && document.querySelector('[aria-busy="true"]') === null
        && document.fonts.status === "loaded"
        && images.every((it) => it.complete);
}"""
# What has come may lead to more requests, once the page gets to it; a window that grows asks for
# little but larger images.
_QUIET_MS = 60
_QUIET_WIDER_MS = 30
_IDLE = "new Promise((done) => requestIdleCallback(done, { timeout: 500 }))"
_FOLLOW = """(path) => {
    history.pushState(null, "", path);
    dispatchEvent(new PopStateEvent("popstate"));
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

    @property
    def opens(self) -> bool:
        """Whether its act opens something, which may close as the window grows."""
        return self.act not in (None, acts.asked)

    def open(self, page: Page, seeded: Seeded, before: "View | None" = None) -> None:
        """Go there and wait until nothing is loading any longer.

        Args:
            page: Where to open it.
            seeded: What there is.
            before: What the page shows already, so that the app need not be loaded again: it is
                followed from there as a link is.
        """
        # What an act has opened may stay open, and nobody gets to a page from itself.
        anew = before is None or before.opens or before.path == self.path
        go(page, self.path.format(**seeded.ids), anew=anew)
        if self.act:
            with settling(page):
                self.act(page)


@contextmanager
def settling(page: Page, quiet_ms: int = _QUIET_MS) -> Iterator[None]:
    """Wait, after what is done within, until requests are answered and the page has its heading.

    Args:
        page: What is waited for.
        quiet_ms: For how long nothing may begin.
    """
    waiting: set[Request] = set()

    def begin(request: Request) -> None:
        # Events of a project never end.
        if request.resource_type != "eventsource":
            waiting.add(request)

    def end(request: Request) -> None:
        waiting.discard(request)

    page.on("request", begin)
    page.on("requestfinished", end)
    page.on("requestfailed", end)
    yield
    is_quiet = False
    while not is_quiet:
        # At each frame, as it would by itself, it would make the page draw them all.
        page.wait_for_function(_READY, polling=50)
        page.evaluate(_IDLE)
        # Briefly as long as something is on its way: its answer is what counts.
        is_quiet = not waiting
        page.wait_for_timeout(quiet_ms if is_quiet else 10)
        is_quiet = is_quiet and not waiting and bool(page.evaluate(_READY))
    page.remove_listener("request", begin)
    page.remove_listener("requestfinished", end)
    page.remove_listener("requestfailed", end)


def go(page: Page, path: str, *, anew: bool) -> None:
    """Go there, and wait until all is there: by its address, or as a link of the open app does."""
    with settling(page):
        if anew:
            page.goto(path)
        else:
            page.evaluate(_FOLLOW, path)


def widened(page: Page, open_: Callable[[], None], *, anew: bool = False) -> Iterator[int]:
    """The widths of windows, the narrowest first, each when everything is there.

    Args:
        page: Whose window it is.
        open_: Opens what is looked at, in the narrowest.
        anew: Open it in the others as well: it holds something that closes as the window grows.
    """
    for width in sorted(WINDOWS):
        if anew or width == min(WINDOWS):
            page.set_viewport_size({"width": width, "height": WINDOWS[width]})
            open_()
        else:
            with settling(page, _QUIET_WIDER_MS):
                page.set_viewport_size({"width": width, "height": WINDOWS[width]})
        yield width


def recolour(page: Page, scheme: Literal["light", "dark"]) -> None:
    """Ask for another colour scheme and wait until everything has its colours."""
    page.emulate_media(color_scheme=scheme)
    painted(page)


def painted(page: Page) -> None:
    """Wait until what has changed is on the screen."""
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


PROJECT: Final = "/projects/:projectId"
CERTIFICATE: Final = f"{PROJECT}/certificates/:certificateId"
VIEWS: Final = (
    View("sign-in", "/login", "/login", "nobody"),
    View("home", "/", "/"),
    View("home-annotator", "/", "/", "annotator"),
    View("home-check", "/", "/", act=acts.drop_folder),
    View("account-menu", "/", "/", act=acts.click("header button[aria-expanded]"), part="header"),
    View("new-project", "/projects/new", "/projects/new"),
    View("project", PROJECT, "/projects/{project}"),
    View("project-draft", PROJECT, "/projects/{draft}"),
    View("project-noisy", PROJECT, "/projects/{noisy}"),
    View("round", f"{PROJECT}/rounds/:number", "/projects/{project}/rounds/2"),
    View("round-first", f"{PROJECT}/rounds/:number", "/projects/{project}/rounds/0"),
    View("pool", f"{PROJECT}/pool", "/projects/{project}/pool"),
    View("pool-empty", f"{PROJECT}/pool", "/projects/{draft}/pool"),
    View("jobs", f"{PROJECT}/jobs", "/projects/{noisy}/jobs"),
    View("jobs-parameters", f"{PROJECT}/jobs", "/projects/{project}/jobs", act=acts.open_details),
    View("job-prune", f"{PROJECT}/jobs/:jobId", "/projects/{noisy}/jobs/{pruned}"),
    View("job-relabel", f"{PROJECT}/jobs/:jobId", "/projects/{noisy}/jobs/{relabeled}"),
    View("job-compare", f"{PROJECT}/jobs/:jobId", "/projects/{project}/jobs/{compared}"),
    View("subsets", f"{PROJECT}/subsets", "/projects/{noisy}/subsets"),
    View("pool-map", f"{PROJECT}/pool", "/projects/{project}/pool?view=map"),
    View("pool-duplicates", f"{PROJECT}/pool", "/projects/{project}/pool?view=duplicates"),
    View(
        "snapshots",
        f"{PROJECT}/settings",
        "/projects/{project}/settings",
        act=acts.compare_snapshots,
        part="dialog",
    ),
    View("project-checking", PROJECT, "/projects/{checking}"),
    View(
        "label-checking", f"{PROJECT}/label", "/projects/{checking}/label", "annotator", acts.asked
    ),
    View("certificate-checking", CERTIFICATE, "/projects/{checking}/certificates/{asking}"),
    View("certificate-ready", CERTIFICATE, "/projects/{ready}/certificates/{held}"),
    View("certificate", CERTIFICATE, "/projects/{finished}/certificates/{given}"),
    View(
        "certificate-report",
        f"{CERTIFICATE}/report",
        "/projects/{finished}/certificates/{given}/report",
    ),
    View("project-finished", PROJECT, "/projects/{finished}"),
    View("label-finished", f"{PROJECT}/label", "/projects/{finished}/label", "annotator"),
    View("project-boxes", PROJECT, "/projects/{streets}"),
    View("round-boxes", f"{PROJECT}/rounds/:number", "/projects/{streets}/rounds/1"),
    View("pool-boxes", f"{PROJECT}/pool", "/projects/{streets}/pool"),
    View(
        "label-boxes",
        f"{PROJECT}/label",
        "/projects/{streets}/label",
        "annotator",
        acts.asked,
    ),
    View(
        "label-boxes-help",
        f"{PROJECT}/label",
        "/projects/{streets}/label",
        "annotator",
        acts.open_help,
    ),
    View("project-failed", PROJECT, "/projects/{failed}"),
    View("round-failed", f"{PROJECT}/rounds/:number", "/projects/{failed}/rounds/0"),
    View("label-failed", f"{PROJECT}/label", "/projects/{failed}/label", "annotator"),
    View("job-failed", f"{PROJECT}/jobs/:jobId", "/projects/{failed}/jobs/{advanced}"),
    View("job-judged", f"{PROJECT}/jobs/:jobId", "/projects/{ranked}/jobs/{judged}"),
    View("job-paused", f"{PROJECT}/jobs/:jobId", "/projects/{capped}/jobs/{paused}"),
    View("project-paused", PROJECT, "/projects/{capped}"),
    View("project-order", PROJECT, "/projects/{ranked}"),
    View("round-order", f"{PROJECT}/rounds/:number", "/projects/{ranked}/rounds/0"),
    View("check", f"{PROJECT}/check", "/projects/{draft}/check"),
    View("settings", f"{PROJECT}/settings", "/projects/{project}/settings"),
    View("settings-draft", f"{PROJECT}/settings", "/projects/{draft}/settings"),
    View("label", f"{PROJECT}/label", "/projects/{project}/label", "annotator", acts.asked),
    View(
        "label-help", f"{PROJECT}/label", "/projects/{project}/label", "annotator", acts.open_help
    ),
    View("grid", f"{PROJECT}/label/grid", "/projects/{project}/label/grid", "annotator"),
    View("label-text", f"{PROJECT}/label", "/projects/{texts}/label", "annotator", acts.asked),
    View("grid-text", f"{PROJECT}/label/grid", "/projects/{texts}/label/grid", "annotator"),
    View("pool-text", f"{PROJECT}/pool", "/projects/{texts}/pool?search=invoice"),
    View("label-order", f"{PROJECT}/label", "/projects/{ranked}/label", "annotator", acts.asked),
    View("pool-order", f"{PROJECT}/pool", "/projects/{ranked}/pool"),
    View("settings-order", f"{PROJECT}/settings", "/projects/{ranked}/settings"),
    View("job-selection", f"{PROJECT}/jobs/:jobId", "/projects/{ranked}/jobs/{selected}"),
    View("label-waiting", f"{PROJECT}/label", "/projects/{draft}/label"),
    View("review", f"{PROJECT}/review/:jobId", "/projects/{noisy}/review/{relabeled}"),
    View(
        "review-disagreements",
        f"{PROJECT}/review/disagreements",
        "/projects/{noisy}/review/disagreements",
    ),
    View("admin-users", "/admin/users", "/admin/users"),
    View("admin-tokens", "/admin/tokens", "/admin/tokens"),
    View("admin-workers", "/admin/workers", "/admin/workers"),
    View("admin-webhooks", "/admin/webhooks", "/admin/webhooks?webhook={webhook}"),
    View("admin-weights", "/admin/weights", "/admin/weights"),
    View("admin-judges", "/admin/judges", "/admin/judges"),
    View("admin-storage", "/admin/storage", "/admin/storage"),
    View("admin-audit", "/admin/audit", "/admin/audit"),
    View("algorithm", "/algorithms/:kind/:name", "/algorithms/strategy/mqnet"),
    View("words", "/words", "/words", "annotator"),
    View("account", "/account", "/account"),
    View("account-second-factor", "/account", "/account", "annotator", acts.add_second_factor),
    View("not-found", "/*", "/nothing/here"),
)

_TOKEN: Final = re.compile(
    r'path: "(?P<path>[^"]+)"|(?P<index>index: true)|(?P<open>\{)|(?P<close>\})'
    r"|(?P<layout>children: )|(?P<redirect>element: <Navigate )"
)


def routes() -> Iterator[str]:
    """The paths that the router has a page for."""
    stack: list[dict[str, str]] = []
    for token in _TOKEN.finditer(ROUTER.read_text()):
        if token["open"]:
            stack.append({})
        elif not token["close"]:
            stack[-1][str(token.lastgroup)] = token["path"] or "yes"
        else:
            path = "/".join(one["path"].strip("/") for one in stack if one.get("path"))
            route = stack.pop()
            is_page = "index" in route or ("path" in route and "layout" not in route)
            if is_page and "redirect" not in route:
                yield f"/{path.strip('/')}"
