"""Labeling in the grid by keyboard alone: groups, undo as a unit, and a network that goes away."""

import re
from collections import Counter
from pathlib import Path

import psycopg
import pytest
from playwright.sync_api import Page, Route, expect
from sklearn.datasets import load_digits

from karat import Client
from karat.client.labeling_types import Answer, Query
from karat.client.project import ProjectClient
from karat.local.stack import Stack
from tests.e2e.acts import tiles_come_up
from tests.e2e.test_first_round import digit, zip_of
from tests.processes import eventually, libpq_url

FIRST, IMAGES = 60, 320
NAMES = ("zero", "one")
KEYS = {"zero": "1", "one": "2"}


def kind(name: str) -> str | None:
    """The class of a file such as ``0-17.png``, or None if it has none."""
    index = int(name.partition("-")[0])
    return NAMES[index] if index < len(NAMES) else None


def truth(queries: list[Query], ids: dict[str, int]) -> list[Answer]:
    answers: list[Answer] = []
    for query in queries:
        found = kind(query["name"])
        answer: Answer = {"query_id": query["query_id"], "seconds": 1.0, "verdict": "ood"}
        if found is not None:
            answer |= {"verdict": "label", "class_id": ids[found]}
        answers.append(answer)
    return answers


@pytest.fixture
def images() -> int:
    """How many the pool has."""
    return IMAGES


@pytest.fixture
def project(karat: Client, tmp_path: Path, images: int) -> ProjectClient:
    """A project whose first round is open."""
    targets = load_digits().target
    files = {f"{targets[index]}-{index}.png": digit(index) for index in range(images)}
    settings = {"input_size": 8, "budget": min(FIRST, images), "zero_wait": False}
    project = karat.create_project(f"Grid {tmp_path.name}", list(NAMES), settings=settings)
    karat.wait(project.import_images(zip_of(tmp_path / "pool.zip", files))["id"])
    project.start()
    eventually(lambda: project.rounds()[0]["state"] == "open", "the first round opens")
    return project


@pytest.fixture
def predicted(project: ProjectClient, images: int) -> ProjectClient:
    """A project whose second round is open, so that there are predictions."""
    project.update(settings={"budget": min(240, images - FIRST)})
    ids = {item["name"]: item["id"] for item in project.get()["classes"]}
    project.answer(truth(project.lease(FIRST)["items"], ids))
    eventually(
        lambda: len(rounds := project.rounds()) > 1 and rounds[1]["state"] == "open",
        "the second round opens",
    )
    return project


def rows(stack: Stack, project: ProjectClient) -> list[tuple[int, str, float, int | None]]:
    """(query, verdict, seconds, supersedes) of the second round's answers, in order."""
    with psycopg.connect(libpq_url(stack.environment["DATABASE_URL"])) as connection:
        return connection.execute(
            "SELECT query_id, verdict, annotations.seconds, supersedes_id FROM annotations"
            " JOIN rounds ON rounds.id = annotations.round_id"
            " WHERE annotations.project_id = %s AND number = 1 ORDER BY annotations.id",
            (project.id,),
        ).fetchall()


def open_tiles(page: Page) -> list[tuple[int, str]]:
    """Query and file of each image that has no verdict, as they are shown."""
    tiles = page.locator("[data-tile]:not([data-done])").evaluate_all(
        "tiles => tiles.map(tile => [Number(tile.dataset.tile), tile.ariaLabel.split(':')[0]])"
    )
    return [(number, name) for number, name in tiles]


def key_for(name: str) -> str:
    return KEYS.get(kind(name) or "", "x")


def go_to(page: Page, query: int) -> None:
    """Move there with the arrows, which pass over groups that leave the page, once all is seen."""
    tiles_come_up(page)
    order = page.locator("section[data-group]:not([data-leaving]) [data-tile]").evaluate_all(
        "tiles => tiles.map(tile => Number(tile.dataset.tile))"
    )
    now = page.locator("[data-tile][data-focused]").get_attribute("data-tile")
    steps = order.index(query) - order.index(int(now or 0))
    for _ in range(abs(steps)):
        page.keyboard.press("ArrowRight" if steps > 0 else "ArrowLeft")


def judge_group(page: Page) -> int:
    """Pick out what differs from most of the first group, then judge the rest; returns how many."""
    group = page.locator("section[data-group]:not([data-leaving])").first
    tiles = group.locator("[data-tile]:not([data-done])")
    shown = tiles.evaluate_all(
        "tiles => tiles.map(tile => [Number(tile.dataset.tile), tile.ariaLabel.split(':')[0]])"
    )
    by_key: dict[str, list[int]] = {}
    for number, name in shown:
        by_key.setdefault(key_for(name), []).append(number)
    most = max(by_key, key=lambda key: len(by_key[key]))
    for key, numbers in by_key.items():
        if key == most:
            continue
        for number in numbers:
            go_to(page, number)
            page.keyboard.press("Space")
        page.keyboard.press(key)
        settled(page, numbers)
    go_to(page, by_key[most][0])
    page.keyboard.press("a")
    page.keyboard.press(most)
    settled(page, by_key[most])
    return len(shown)


def judge_shown_large(page: Page, count: int) -> int:
    """Judge images one after the other while they are shown large; returns how many."""
    page.keyboard.press("z")
    large = page.get_by_role("button", name="Close").get_by_role("img")
    for _ in range(count):
        tiles_come_up(page)
        focused = page.locator("[data-tile][data-focused]:not([data-done])")
        number = int(focused.get_attribute("data-tile") or 0)
        name = str(focused.get_attribute("aria-label"))
        # What is shown is what the key is about.
        expect(large).to_have_attribute("alt", re.compile(re.escape(name)))
        page.keyboard.press(key_for(name))
        settled(page, [number])
    page.keyboard.press("Escape")
    expect(large).to_have_count(0)
    return count


def settled(page: Page, numbers: list[int]) -> None:
    """Wait until these have a verdict, or are off the page."""
    page.wait_for_function(
        """numbers => numbers.every(number => {
            const tile = document.querySelector(`[data-tile="${number}"]`);
            return !tile || "done" in tile.dataset;
        })""",
        arg=numbers,
    )


def test_two_hundred_by_keyboard_with_an_undo_and_a_lost_network(
    signed_in: Page, stack: Stack, predicted: ProjectClient
) -> None:
    page, project = signed_in, predicted
    page.goto(f"/projects/{project.id}/label")
    # The mode is a key away, and is remembered.
    page.locator("[data-query-id]").wait_for()
    page.keyboard.press("v")
    page.locator("[data-tile]").first.wait_for()
    page.goto(f"/projects/{project.id}/label")
    page.wait_for_url("**/label/grid")
    page.locator("[data-tile][data-focused]").wait_for()

    judged = judge_group(page)
    judged += judge_shown_large(page, 2)
    # Wrong on purpose, and taken back at once.
    wrong = [number for number, _ in open_tiles(page)][:3]
    go_to(page, wrong[0])
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("q")
    settled(page, wrong)
    page.keyboard.press("u")
    back = page.locator("section[data-group=back] [data-tile]")
    expect(back).to_have_count(3)
    expect(page.get_by_text("Taken back: 3 images")).to_be_visible()
    assert {int(tile.get_attribute("data-tile") or 0) for tile in back.all()} == set(wrong)
    expect(page.locator("[data-tile][aria-selected=true]")).to_have_count(3)
    page.keyboard.press("x")
    settled(page, wrong)
    judged += 3

    # What is on its way as the page is loaded again is not shown again.
    held: list[Route] = []
    page.route("**/labeling/answers", lambda route: held.append(route))
    last = open_tiles(page)[-1:]
    go_to(page, last[0][0])
    page.keyboard.press(key_for(last[0][1]))
    settled(page, [last[0][0]])
    judged += 1
    place = open_tiles(page)
    with page.expect_request("**/labeling/answers") as sent:
        page.reload()
        page.locator("[data-tile][data-focused]").wait_for()
    assert sent.value
    assert sorted(open_tiles(page)) == sorted(place)
    held[-1].continue_()
    page.unroute("**/labeling/answers")
    eventually(lambda: len(rows(stack, project)) == judged + 3, "the first answers arrive")
    assert sorted(open_tiles(page)) == sorted(place)

    page.context.set_offline(True)
    offline = judge_group(page)
    badge = page.get_by_role("status").filter(has_text="waiting to be sent")
    expect(badge).to_contain_text(str(offline))
    # Images that were loaded before are there without a network.
    assert offline > 0
    page.context.set_offline(False)
    expect(badge).to_have_count(0)
    judged += offline
    while judged < 200:
        page.locator("[data-tile]:not([data-done])").first.wait_for()
        judged += judge_group(page)

    eventually(lambda: len(rows(stack, project)) == judged + 3, "every answer arrives")
    stored = rows(stack, project)
    first = [row for row in stored if row[3] is None]
    again = [row for row in stored if row[3] is not None]
    assert max(Counter(query for query, *_ in first).values()) == 1
    assert len(first) == judged
    # Undo as a unit: the three verdicts were corrected, each once, and nothing else was.
    assert {query for query, *_ in again} == set(wrong)
    assert {verdict for query, verdict, *_ in again} == {"ood"}
    assert all(seconds > 0 for _, _, seconds, _ in stored)


@pytest.mark.parametrize("images", [12])
def test_a_project_without_the_grid_leads_to_the_single_mode(
    signed_in: Page, project: ProjectClient
) -> None:
    page = signed_in
    project.update(settings={"modes": ["single"]})
    page.goto(f"/projects/{project.id}/label/grid")
    page.locator("[data-query-id]").wait_for()
    assert page.url.endswith("/label")
    expect(page.get_by_role("link", name="Grid", exact=True)).to_have_count(0)
    project.update(settings={"modes": ["grid"]})
    page.goto(f"/projects/{project.id}/label")
    page.locator("[data-tile]").first.wait_for()
    assert page.url.endswith("/label/grid")


@pytest.mark.parametrize("images", [140])
def test_the_heading_of_a_group_is_whole_on_a_phone(
    signed_in: Page, predicted: ProjectClient
) -> None:
    page, project = signed_in, predicted
    ids = {item["name"]: item["id"] for item in project.get()["classes"]}
    long = "that somebody wrote with a stroke through it"
    project.update(classes=[{"id": ids[name], "name": f"{name} {long}"} for name in NAMES])
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"/projects/{project.id}/label/grid")
    headings = page.get_by_role("heading", name=long)
    none = page.get_by_role("button", name="All are none of the classes")

    def is_one_there() -> bool:
        # Which group comes up first is the strategy's choice.
        if headings.count() > 0:
            return True
        tiles_come_up(page)
        none.evaluate_all("them => them.forEach(it => it.click())")
        return False

    eventually(is_one_there, "images that look like a class come up")
    heading = headings.first
    heading.scroll_into_view_if_needed()
    assert heading.evaluate("it => it.scrollWidth <= it.clientWidth")
    confirm = page.get_by_role("button", name=long).and_(page.get_by_text("All are")).first
    expect(confirm).to_be_in_viewport(ratio=1)
