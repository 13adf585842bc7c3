"""Names as long as they may be, without a space: no page scrolls sideways for them."""

from collections.abc import Iterator
from functools import partial
from typing import Any, Final

import pytest
from PIL import Image
from playwright.sync_api import Browser, Page

from karat import Client
from karat.client.labeling_types import Answer
from karat.local.stack import Stack
from tests.e2e.chromium import complaints, sign_in
from tests.e2e.labeled import images
from tests.e2e.views import go, widened
from tests.processes import eventually
from tests.stacks import admin_login

LONG: Final = "Northernwetlands" * 6 + "2026"
MINA: Final = (f"{'m' * 60}@{'wetlands' * 6}.org", "a password of hers")
PLACES: Final = (
    "/", "/projects/{id}", "/projects/{id}/settings", "/projects/{id}/jobs", "/projects/{id}/pool",
    "/projects/{id}/pool?view=duplicates",
    "/projects/{id}/rounds/0", "/projects/{id}/label", "/projects/{id}/label/grid",
    "/projects/{id}/review/disagreements", "/projects/{id}/subsets", "/admin/users",
    "/admin/tokens", "/admin/workers", "/admin/webhooks", "/admin/judges", "/admin/storage",
    "/admin/audit", "/account",
)  # fmt: skip

_TOO_WIDE: Final = """() => {
    const { clientWidth: room, scrollWidth } = document.documentElement;
    if (scrollWidth <= room) return [];
    const wide = [...document.querySelectorAll("body *")].filter((it) => {
        const { right, width } = it.getBoundingClientRect();
        // What is folded away has a place, and takes no room.
        return it.checkVisibility() && width > 0 && right > room + 1;
    });
    const nameOf = (it) => `${it.tagName} .${it.className}: ${it.textContent.slice(0, 40)}`;
    return wide.slice(-4).map(nameOf);
}"""


@pytest.fixture(scope="module")
def project(stack: Stack, tmp_path_factory: pytest.TempPathFactory) -> int:
    """A running project in which everything that people name has a long name."""
    folder = tmp_path_factory.mktemp("long")
    with Client(stack.url) as karat:
        karat.login(*admin_login(stack))
        mina = karat.create_user(*MINA, name=LONG, role="annotator")
        classes = [f"{LONG[:-5]}light", f"{LONG[:-5]}dark"]
        settings = {"input_size": 16, "budget": 40}
        made = karat.create_project(LONG, classes, settings=settings)
        made.add_member(mina["id"])
        pool = images(folder / "pool", 12)
        for file in list(pool.iterdir()):
            # The same picture, saved anew.
            Image.open(file).resize((48, 48), 0).save(file.with_stem(f"{file.stem}-larger"))
        for file in list(pool.iterdir()):
            file.rename(file.with_name(f"{LONG}{file.name}"))
        karat.wait(made.import_images(pool)["id"])
        made.start()
        eventually(lambda: made.rounds()[0]["state"] == "open", "the first round opens")
        ids = [one["id"] for one in made.get()["classes"]]
        answers: list[Answer] = [
            {"query_id": one["query_id"], "seconds": 1.0, "verdict": "label", "class_id": ids[0]}
            for one in made.lease(4)["items"]
        ]
        made.answer(answers)
        karat.wait(made.start_job("compare", {})["id"])
        karat.create_token(LONG, scope="read")
        made.snapshots.take(LONG[:80])
        made.webhooks.create(f"https://example.org/{LONG}")
    return made.id


@pytest.fixture(params=["en", "ko"])
def language(request: pytest.FixtureRequest) -> str:
    found: str = request.param
    return found


@pytest.fixture
def pages(browser: Browser, stack: Stack, language: str) -> Iterator[dict[str, Page]]:
    """A page of the admin, and one of who labels, in a language."""
    logins = {"admin": admin_login(stack), "mina": MINA}
    contexts = {name: sign_in(browser, stack.url, login) for name, login in logins.items()}
    chosen = f"localStorage.setItem('karat.language', '{language}')"
    found: dict[str, Page] = {}
    errors: list[Any] = []
    for name, context in contexts.items():
        found[name] = context.new_page()
        found[name].add_init_script(chosen)
        errors.append(complaints(found[name]))
    yield found
    for context in contexts.values():
        context.close()
    assert not any(errors), errors


def test_no_page_is_too_wide_for_a_long_name(
    pages: dict[str, Page], language: str, project: int
) -> None:
    found: dict[str, list[str]] = {}
    for viewer, page in pages.items():
        for place in PLACES:
            if viewer == "mina" and ("admin" in place or place.endswith(("settings", "jobs"))):
                continue
            # Each is loaded by its address once, in English.
            anew = language == "en" or place == PLACES[0]
            open_ = partial(go, page, place.format(id=project), anew=anew)
            for width in widened(page, open_):
                if wide := page.evaluate(_TOO_WIDE):
                    found[f"{viewer} {place} {width}"] = wide
    assert found == {}, "\n".join(f"{at}: {wide}" for at, wide in found.items())
