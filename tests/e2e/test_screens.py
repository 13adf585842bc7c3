"""The pictures of the documentation are of every page that is walked, and of no others."""

import re

from tests.e2e.screenshots import IN_KOREAN, SCREENS
from tests.e2e.views import SCHEMES, VIEWS, WINDOWS

_NAMED = re.compile(r"\]\(([a-z-]+-\d+-[a-z]+\.webp)\)")


def test_every_page_has_its_pictures_and_is_shown() -> None:
    names = [view.name for view in VIEWS]
    taken = [*names, *(f"{name}-ko" for name in IN_KOREAN if name in names)]
    wanted = {
        f"{name}-{width}-{scheme}.webp" for name in taken for width in WINDOWS for scheme in SCHEMES
    }
    assert {path.name for path in SCREENS.glob("*.webp")} == wanted
    shown = set(_NAMED.findall((SCREENS / "index.md").read_text()))
    assert shown <= wanted
    assert {f"{name}-{max(WINDOWS)}-light.webp" for name in names} <= shown
