"""``make screenshots``: every page, light and dark, at both widths, into ``docs/screens``.

``python -m tests.e2e.screenshots --only label,project`` takes some of them again. Each is a WebP of
the whole page, cut after three windows. Pages are shown in Korean too where a Korean font is found.
"""

import argparse
import io
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from PIL import Image
from playwright.sync_api import Browser, BrowserContext, Page

from karat.local.stack import Stack
from tests.e2e.chromium import launched, sign_in
from tests.e2e.seeded import SHOWN, Seeded, seed
from tests.e2e.views import SCHEMES, VIEWS, WINDOWS, View, Viewer, recolour, settling
from tests.processes import ROOT

SCREENS: Final = ROOT / "docs/screens"
IN_KOREAN: Final = ("home", "project", "label", "round", "settings", "jobs")
_WINDOWS_HIGH = 3
_QUALITY = 70


def picture(page: Page) -> bytes:
    """What the window shows, as WebP."""
    shot = Image.open(io.BytesIO(page.screenshot()))
    stream = io.BytesIO()
    shot.convert("RGB").save(stream, "WEBP", quality=_QUALITY, method=6)
    return stream.getvalue()


def enlarge(page: Page, width: int, height: int) -> None:
    """Make the window as high as the page, up to three times ``height``.

    So bars that stick to its edges are at the edges, and what is loaded when it comes into view is
    there. A dialog stays in the middle of what one sees.
    """
    if page.locator("dialog[open]").count() > 0:
        return
    whole = int(page.evaluate("document.documentElement.scrollHeight"))
    with settling(page):
        page.evaluate("scrollTo(0, 0)")
        page.set_viewport_size({"width": width, "height": min(whole, height * _WINDOWS_HIGH)})


def take(page: Page, seeded: Seeded, view: View, suffix: str = "") -> Iterator[Path]:
    """Take a page at both widths and in both schemes."""
    for width, height in WINDOWS.items():
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme="light")
        view.open(page, seeded)
        enlarge(page, width, height)
        for scheme in SCHEMES:
            recolour(page, scheme)
            path = SCREENS / f"{view.name}{suffix}-{width}-{scheme}.webp"
            path.write_bytes(picture(page))
            yield path


def has_korean_font() -> bool:
    """Whether Korean text would be more than boxes."""
    try:
        found = subprocess.run(["fc-list", ":lang=ko"], capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return False
    return bool(found.stdout.strip())


def take_all(browser: Browser, url: str, seeded: Seeded, views: list[View]) -> Iterator[Path]:
    """Take all pages, each by who looks at it."""
    logins: dict[Viewer, tuple[str, str] | None] = {
        "nobody": None,
        "admin": seeded.admin,
        "annotator": seeded.annotator,
    }
    for viewer, login in logins.items():
        context: BrowserContext = sign_in(browser, url, login)
        page = context.new_page()
        chosen = [view for view in views if view.viewer == viewer]
        for view in chosen:
            yield from take(page, seeded, view)
        page.add_init_script("localStorage.setItem('karat.language', 'ko')")
        for view in chosen:
            if view.name in IN_KOREAN and has_korean_font():
                yield from take(page, seeded, view, "-ko")
        context.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="Names of pages, with commas.")
    names = [one for one in parser.parse_args().only.split(",") if one]
    views = [view for view in VIEWS if not names or view.name in names]
    SCREENS.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="karat-screens-") as directory:
        folder = Path(directory)
        judges = {"KARAT_JUDGE_ALLOW": "127.0.0.1"}
        with Stack(folder / "data", port=0, environment=judges) as stack, launched() as browser:
            seeded = seed(stack, folder, SHOWN)
            taken = list(take_all(browser, stack.url, seeded, views))
    total = sum(path.stat().st_size for path in SCREENS.glob("*.webp"))
    print(f"{len(taken)} pictures; {SCREENS} has {total / 1e6:.1f} MB")  # noqa: T201


if __name__ == "__main__":
    main()
