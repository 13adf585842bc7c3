"""Two people, one browser: what one has seen, the other is not shown from its cache."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from karat import Client
from karat.client.project import ProjectClient
from karat.local.stack import Stack
from tests.e2e.acts import come_up
from tests.e2e.labeled import images
from tests.e2e.test_first_round import answer
from tests.processes import eventually
from tests.stacks import admin_login

PASSWORD = "a long password"
# Each way in which a page may ask for an image, the cache first.
FROM_THE_CACHE = """async (address) => {
    const shown = new Image();
    shown.src = address;
    const seen = await shown.decode().then(() => "seen", () => "not seen");
    const kept = await fetch(address, { cache: "force-cache" });
    return [seen, kept.status];
}"""


@pytest.fixture
def shared(browser: Browser, stack: Stack) -> Iterator[Page]:
    """A page of a browser that somebody else uses next, with a cache as browsers have it."""
    context = browser.new_context(base_url=stack.url, reduced_motion="reduce")
    found = context.new_page()
    found.set_default_timeout(30_000)
    yield found
    context.close()


@pytest.fixture
def project(karat: Client, tmp_path: Path) -> ProjectClient:
    """An open round of 12 images."""
    settings = {"input_size": 16, "budget": 12, "strategy": {"name": "random"}}
    made = karat.create_project(f"Shared {tmp_path.name}", ["light", "dark"], settings=settings)
    karat.wait(made.import_images(images(tmp_path / "pool", 12))["id"])
    made.start()
    eventually(lambda: made.rounds()[0]["state"] == "open", "the first round opens")
    return made


def sign_in(page: Page, email: str, password: str) -> None:
    page.get_by_label("Email").fill(email)
    page.get_by_label("Password").fill(password)
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Account of").wait_for()


def sign_out(page: Page) -> None:
    page.get_by_role("button", name="Account of").click()
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_url("**/login*")
    page.get_by_label("Password").wait_for()


def test_who_comes_next_is_not_shown_what_the_browser_has_kept(
    shared: Page, stack: Stack, karat: Client, project: ProjectClient
) -> None:
    page = shared
    stranger = f"stranger{project.id}@example.org"
    karat.create_user(stranger, PASSWORD, name="Stranger", role="annotator")
    page.goto("/")
    sign_in(page, *admin_login(stack))
    page.goto(f"/projects/{project.id}/label")
    image = page.locator("img[data-query-id]")
    expect(image).to_be_visible()
    address = next(iter(project.pool.find({})))["image_url"]
    assert page.evaluate(FROM_THE_CACHE, address) == ["seen", 200]
    page.goto(f"/projects/{project.id}")
    page.evaluate("window.before = true")
    sign_out(page)
    # Nothing of the first person is left in the page's own memory.
    assert page.evaluate("window.before") is None
    assert page.evaluate(FROM_THE_CACHE, address) == ["not seen", 401]
    sign_in(page, stranger, PASSWORD)
    assert page.evaluate(FROM_THE_CACHE, address) == ["not seen", 404]
    opened = page.goto(address)
    assert opened is not None
    assert opened.status == 404


def test_images_that_were_fetched_ahead_come_from_the_cache(
    shared: Page, stack: Stack, project: ProjectClient
) -> None:
    page = shared
    page.goto("/")
    sign_in(page, *admin_login(stack))
    sent: Counter[str] = Counter()
    network = page.context.new_cdp_session(page)

    def count(event: dict[str, Any]) -> None:
        if event["type"] == "Image" and not event["response"].get("fromDiskCache"):
            sent[event["response"]["url"]] += 1

    def cached(event: dict[str, Any]) -> None:
        kept.add(event["requestId"])

    kept: set[str] = set()
    network.on("Network.requestServedFromCache", cached)
    network.on(
        "Network.responseReceived",
        lambda event: None if event["requestId"] in kept else count(event),
    )
    network.send("Network.enable")
    page.goto(f"/projects/{project.id}/label")
    for _ in range(4):
        page.locator("img[data-query-id]").wait_for()
        answer(page, "1")
    page.reload()
    page.locator("img[data-query-id]").wait_for()
    answer(page, "1")
    # Its place is there before it has come.
    come_up(page)
    assert len(sent) >= 6
    assert {address: times for address, times in sent.items() if times > 1} == {}
