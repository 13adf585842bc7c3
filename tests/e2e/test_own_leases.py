"""One person, several tabs: a crash gives its images back to them, and open tabs share them."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
import psycopg
import pytest
from PIL import Image
from playwright.sync_api import Browser, BrowserContext, Error, Page, expect

from karat import Client
from karat.client.project import ProjectClient
from karat.local.stack import Stack
from tests.e2e.test_first_round import answer, query
from tests.e2e.test_label_single import held, verdicts_in
from tests.processes import eventually, libpq_url

# A tab holds sixteen.
IMAGES = 24


@pytest.fixture
def project(karat: Client, tmp_path: Path) -> ProjectClient:
    """An open round of two tabs' worth of images."""
    folder = tmp_path / "pool"
    folder.mkdir()
    for seed in range(IMAGES):
        pixels = np.random.default_rng(seed).integers(0, 256, (16, 16, 3), dtype=np.uint8)
        Image.fromarray(pixels).save(folder / f"{seed}.png")
    made = karat.create_project(
        f"Tabs {tmp_path.name}",
        ["one", "two"],
        settings={"input_size": 16, "budget": IMAGES, "strategy": {"name": "random"}},
    )
    karat.wait(made.import_images(folder)["id"])
    made.start()
    eventually(lambda: made.rounds()[0]["state"] == "open", "the first round opens")
    return made


@pytest.fixture
def other_device(home: Page, browser: Browser, stack: Stack) -> Iterator[BrowserContext]:
    """Another browser in which the same person is signed in."""
    cookies = home.context.storage_state()
    context = browser.new_context(storage_state=cookies, base_url=stack.url)
    yield context
    context.close()


def opened(context: BrowserContext, project: ProjectClient) -> Page:
    page = context.new_page()
    page.goto(f"/projects/{project.id}/label")
    page.locator("[data-query-id], [data-waiting-for]").wait_for()
    return page


def crash(page: Page, stack: Stack, project: ProjectClient) -> None:
    """End the page's process, so that it can say nothing to anybody, and let some seconds go by."""
    with suppress(Error):
        page.goto("chrome://crash")
    assert held(stack, project.id) > 0
    url = libpq_url(stack.environment["DATABASE_URL"])
    with psycopg.connect(url) as connection:
        connection.execute(
            "UPDATE queries SET lease_expires_at = lease_expires_at - interval '6 seconds'"
            " WHERE project_id = %s",
            [project.id],
        )


def test_after_a_crash_the_same_images_come_again(
    home: Page, stack: Stack, project: ProjectClient, other_device: BrowserContext
) -> None:
    tab = opened(home.context, project)
    answer(tab, "x")
    place = query(tab)
    eventually(lambda: len(verdicts_in(stack, project.id)) == 1, "the answer has arrived")
    crash(tab, stack, project)
    again = opened(home.context, project)
    assert query(again) == place
    # A device that is closed, as a laptop is, can say as little.
    crash(again, stack, project)
    elsewhere = opened(other_device, project)
    assert query(elsewhere) == place
    for _ in range(IMAGES - 1):
        answer(elsewhere, "x")
    eventually(lambda: len(verdicts_in(stack, project.id)) == IMAGES, "all answers have arrived")
    rows = verdicts_in(stack, project.id)
    assert len({row[1] for row in rows}) == IMAGES
    assert all(row[5] for row in rows)


def test_open_tabs_keep_theirs_until_one_is_asked_to_take_them(
    home: Page, stack: Stack, project: ProjectClient
) -> None:
    first, second = (opened(home.context, project) for _ in range(2))
    places = query(first), query(second)
    assert places[0] != places[1]
    third = opened(home.context, project)
    waiting = third.get_by_role("status").filter(has_text="You have images open elsewhere")
    expect(waiting).to_be_visible()
    expect(third.get_by_text("your colleagues")).to_have_count(0)
    third.get_by_role("button", name="Take them here").click()
    third.locator("[data-query-id]").wait_for()
    assert query(third) == places[0]
    # Both tabs show the image; each verdict is stored, and one of them counts.
    assert answer(third, "x") == answer(first, "1") == places[0]
    eventually(lambda: len(verdicts_in(stack, project.id)) == 2, "both answers have arrived")
    rows = verdicts_in(stack, project.id)
    assert {str(row[1]) for row in rows} == {places[0]}
    assert sorted(row[5] for row in rows) == [False, True]
