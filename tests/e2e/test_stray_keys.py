"""Whoever types faster than a dialog opens gives no verdict by that."""

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import psycopg
import pytest
from playwright.sync_api import Browser, Page, Request, Route, expect

from karat import Client
from karat.client.project import ProjectClient
from karat.local.stack import Stack
from tests.e2e.chromium import complaints, sign_in
from tests.e2e.labeled import images
from tests.processes import ROOT, eventually, libpq_url
from tests.stacks import admin_login

KEY_DIALOGS: Final[dict[str, dict[str, list[str]]]] = json.loads(
    (ROOT / "frontend/src/ui/keyDialogs.json").read_text()
)
"""By page and dialog: the keys that open it. The pages themselves go by it."""

PLACES: Final = {
    "label": ("label", "[data-query-id]"),
    "grid": ("label/grid", "[data-tile]:not([aria-busy])"),
    "review": ("review/disagreements", "[data-query-id]"),
    "pool": ("pool?image={image}", "aside fieldset button"),
}
# A verdict each, or a decision, on one of the pages.
LETTERS: Final = "x1q2s1x2"
SAYING: Final = ("/answers", "/decisions", "/verdict")
ARROWS: Final = ("ArrowLeft", "ArrowRight")
BETWEEN_MS: Final = 50
SLOW_MS: Final = 600


@pytest.fixture
def project(karat: Client, tmp_path: Path) -> ProjectClient:
    """An open round, and images on which two columns of labels disagree."""
    made = karat.create_project(
        f"In haste {tmp_path.name}", ["light", "dark"], settings={"input_size": 16}
    )
    karat.wait(made.import_images(images(tmp_path / "pool", 24))["id"])
    table = tmp_path / "labels.csv"
    with table.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(("file", "ada", "ben"))
        writer.writerows((name, "light", "dark") for name in ("light-0.png", "dark-1.png"))
    job = made.import_images(table, annotation_columns=("ada", "ben"), key_column="file")
    karat.wait(job["id"])
    made.start()
    eventually(lambda: made.rounds()[0]["state"] == "open", "the first round opens")
    return made


@pytest.fixture
def typist(browser: Browser, stack: Stack) -> Iterator[Page]:
    """A page of the admin."""
    context = sign_in(browser, stack.url, admin_login(stack))
    page = context.new_page()
    errors = complaints(page)
    yield page
    context.close()
    assert errors == []


def said_in(stack: Stack, project: ProjectClient) -> list[Any]:
    with psycopg.connect(libpq_url(stack.environment["DATABASE_URL"])) as connection:
        return connection.execute(
            "SELECT id, verdict FROM annotations WHERE project_id = %s ORDER BY id", (project.id,)
        ).fetchall()


def type_in_haste(page: Page, key: str) -> None:
    """Ask for a dialog and go on typing at 20 keys a second, whether it is there or not."""
    page.keyboard.press(key)
    page.keyboard.type(LETTERS, delay=BETWEEN_MS)
    for arrow in ARROWS:
        page.wait_for_timeout(BETWEEN_MS)
        page.keyboard.press(arrow)


def test_no_key_is_a_verdict_while_a_dialog_opens(
    typist: Page, stack: Stack, project: ProjectClient
) -> None:
    page = typist
    before = said_in(stack, project)
    given: list[str] = []
    is_slow = False

    def note(request: Request) -> None:
        if request.method == "POST" and request.url.endswith(SAYING):
            given.append(request.url)

    def load(route: Route) -> None:
        if is_slow:
            page.wait_for_timeout(SLOW_MS)
        route.continue_()

    page.on("request", note)
    page.route("**/assets/*.js", load)
    # Nothing is loaded ahead: the worst case.
    page.add_init_script("window.requestIdleCallback = () => 0")
    assert set(KEY_DIALOGS) == set(PLACES)
    image = next(iter(project.pool.find({})))["id"]
    for name, dialogs in KEY_DIALOGS.items():
        path, ready = PLACES[name]
        for opened, keys in dialogs.items():
            is_slow = False
            page.goto(f"/projects/{project.id}/{path.format(image=image)}")
            page.locator(ready).first.wait_for()
            is_slow = True
            for key in keys:
                type_in_haste(page, key)
                assert given == [], f"{name}: {opened} by {key}"
                dialog = page.get_by_role("dialog")
                expect(dialog, f"{name}: {opened} by {key}").to_be_visible()
                # What has a field has what was typed, in order.
                for field in dialog.get_by_role("combobox").all():
                    expect(field).to_have_value(LETTERS)
                    field.fill("")
                    page.keyboard.press("Enter")
                    expect(dialog).to_be_visible()
                page.keyboard.press("Escape")
                expect(dialog).to_have_count(0)
    assert said_in(stack, project) == before
    # The page hears its keys again.
    page.goto(f"/projects/{project.id}/label")
    page.locator("[data-query-id]").wait_for()
    with page.expect_request("**/answers"):
        page.keyboard.press("x")


def test_dialogs_are_loaded_before_they_are_asked_for(typist: Page, project: ProjectClient) -> None:
    page = typist
    page.goto(f"/projects/{project.id}/label")
    page.locator("[data-query-id]").wait_for()
    # Loaded when the browser has time, which it has while the reader looks.
    page.wait_for_function(
        """parts => parts.every((part) =>
            performance.getEntriesByType("resource").some(({ name }) => name.includes(part)))""",
        arg=["HelpDialog", "FindDialog"],
    )
    page.context.set_offline(True)
    for keys in KEY_DIALOGS["label"].values():
        page.keyboard.press(keys[0])
        expect(page.get_by_role("dialog")).to_be_visible()
        page.keyboard.press("Escape")
    page.context.set_offline(False)
