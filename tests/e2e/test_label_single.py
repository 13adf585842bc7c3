"""Two hundred images by keyboard alone: nothing is lost or doubled, whatever the network does."""

import re
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
import pytest
from PIL import Image
from playwright.sync_api import Page, Request, expect

from karat import Client
from karat.client.project import ProjectClient
from karat.local.stack import Stack
from tests.e2e.test_first_round import answer, query
from tests.processes import eventually, libpq_url

IMAGES = 200
CUT_FROM, CUT_LENGTH = 80, 10
RELOADED_AT = 120


@pytest.fixture
def project(karat: Client, tmp_path: Path) -> ProjectClient:
    """An open round of 240 images, so that none is closed meanwhile."""
    folder = tmp_path / "pool"
    folder.mkdir()
    for seed in range(IMAGES + 40):
        generator = np.random.default_rng(seed)
        # One wide photograph among small images.
        shape = (600, 900, 3) if seed == 0 else (16, 16, 3)
        Image.fromarray(generator.integers(0, 256, shape, dtype=np.uint8)).save(
            folder / f"{seed}.png"
        )
    made = karat.create_project(
        f"By keyboard {tmp_path.name}",
        [f"class {number}" for number in range(1, 13)],
        settings={"input_size": 16, "budget": 240, "strategy": {"name": "random"}},
    )
    karat.wait(made.import_images(folder)["id"])
    made.start()
    eventually(lambda: made.rounds()[0]["state"] == "open", "the first round opens")
    return made


def verdicts_in(stack: Stack, project_id: int) -> list[Any]:
    """Every annotation as it is stored, oldest first: id, query, verdict, position, supersedes."""
    statement = """
        SELECT a.id, a.query_id, a.verdict, c.position, a.supersedes_id, a.counted, a.seconds
        FROM annotations a LEFT JOIN classes c ON c.id = a.class_id
        WHERE a.project_id = %s ORDER BY a.id
    """
    url = libpq_url(stack.environment["DATABASE_URL"])
    with psycopg.connect(url) as connection:
        return connection.execute(statement, [project_id]).fetchall()


def has_verdicts(stack: Stack, project_id: int, count: int) -> bool:
    return len(verdicts_in(stack, project_id)) == count


def to_judge(request: Request) -> bool:
    return request.resource_type == "image" and "size=" not in request.url


def test_two_hundred_by_keyboard(signed_in: Page, stack: Stack, project: ProjectClient) -> None:
    page = signed_in
    # Images to judge, in the order of the queue; of those in the strip there are small versions.
    asked: list[str] = []
    downloaded: set[str] = set()
    page.on("request", lambda request: asked.append(request.url) if to_judge(request) else None)
    page.on(
        "requestfinished",
        lambda request: downloaded.add(request.url) if to_judge(request) else None,
    )
    page.goto(f"/projects/{project.id}/label")
    page.locator("[data-query-id]").wait_for()
    # 1 is the first class, with shift the eleventh, and X is OOD.
    keys, positions = ("1", "0", "Shift+Digit1", "Shift+Digit2", "x"), (0, 9, 10, 11, None)
    given: dict[int, int | None] = {}
    unsent = page.get_by_role("status").filter(has_text=re.compile("waiting to be sent"))
    cut = range(0)
    for number in range(IMAGES):
        if number >= CUT_FROM and not cut:
            # Nothing is on its way any more.
            eventually(partial(has_verdicts, stack, project.id, number), "all answers arrive")
            while not {*asked} <= downloaded:
                page.wait_for_event("requestfinished")
            # The images that are judged without a network, and the one shown after them: a tab
            # holds sixteen, or as few as are left before it asks for more.
            if len(asked) > number + CUT_LENGTH:
                cut = range(number, number + CUT_LENGTH)
                page.context.set_offline(True)
        if cut and number == cut.stop:
            expect(unsent).to_contain_text("10 verdicts")
            page.context.set_offline(False)
            expect(unsent).to_have_count(0)
        if number == RELOADED_AT:
            place = query(page)
            page.reload()
            page.locator("[data-query-id]").wait_for()
            assert query(page) == place
        shown = answer(page, keys[number % 5])
        assert shown is not None
        given[int(shown)] = positions[number % 5]
    assert cut
    assert len(given) == IMAGES

    # Four steps back along the strip, another verdict, and on where the work was left.
    place = query(page)
    strip = page.get_by_role("navigation", name="Your last verdicts")
    expect(strip.get_by_role("button")).to_have_count(10)
    for _ in range(4):
        page.keyboard.press("ArrowLeft")
    expect(strip.locator("[aria-current]")).to_have_count(1)
    changed = answer(page, "2")
    assert changed == str(list(given)[-4])
    assert query(page) == place
    # Any of them after a reload too, by a click.
    page.reload()
    page.locator("[data-query-id]").wait_for()
    expect(strip.get_by_role("button")).to_have_count(10)
    strip.get_by_role("button").first.click()
    expect(page.get_by_text("You said")).to_be_visible()
    reopened = answer(page, "q")

    eventually(
        lambda: len(verdicts_in(stack, project.id)) >= IMAGES + 2, "the changes have arrived"
    )
    rows = verdicts_in(stack, project.id)
    originals = [row for row in rows if row[4] is None]
    changes = [row for row in rows if row[4] is not None]
    assert {row[1]: row[3] for row in originals} == given
    assert len(originals) == IMAGES
    assert [(row[1], row[2], row[3]) for row in changes] == [
        (int(changed or 0), "label", 1),
        (int(reopened or 0), "unsure", None),
    ]
    by_id = {row[0]: row for row in rows}
    assert all(by_id[row[4]][1] == row[1] for row in changes)
    assert all(row[5] for row in rows)


def test_a_break_gives_images_back_until_a_key_ends_it(
    signed_in: Page, stack: Stack, project: ProjectClient
) -> None:
    page = signed_in
    page.goto(f"/projects/{project.id}/label")
    page.locator("[data-query-id]").wait_for()
    place = query(page)
    page.keyboard.press("p")
    cover = page.get_by_role("status").filter(has_text="Paused")
    expect(cover).to_be_visible()
    eventually(lambda: held(stack, project.id) == 0, "the leases are given back")
    # The key that ends the break says nothing of the image.
    page.keyboard.press("x")
    expect(cover).to_have_count(0)
    assert query(page) == place
    eventually(lambda: held(stack, project.id) > 0, "images are leased again")
    assert answer(page, "x") == place
    eventually(lambda: len(verdicts_in(stack, project.id)) == 1, "the answer has arrived")


def test_what_nobody_sees_is_skipped_at_most_and_comes_up_with_the_network(
    signed_in: Page, stack: Stack, project: ProjectClient
) -> None:
    page = signed_in
    images = "**/api/examples/*/image*"
    page.route(images, lambda route: route.abort())
    page.goto(f"/projects/{project.id}/label")
    alert = page.get_by_role("alert").filter(has_text="could not be loaded")
    expect(alert).to_be_visible()
    verdicts = page.get_by_role("group", name="Verdict")
    for name in ("class 1", "None of the classes", "Unsure"):
        expect(verdicts.get_by_role("button", name=name, exact=True)).to_be_disabled()
    expect(verdicts.get_by_role("button", name="Skip", exact=True)).to_be_enabled()
    place = query(page)
    page.keyboard.press("1")
    page.context.set_offline(True)
    expect(page.get_by_role("alert").filter(has_text="There is no network")).to_be_visible()
    page.unroute(images)
    page.context.set_offline(False)
    expect(page.locator("img[data-query-id]")).to_be_visible()
    assert answer(page, "x") == place
    eventually(lambda: len(verdicts_in(stack, project.id)) >= 1, "the answer has arrived")
    assert [(str(row[1]), row[2]) for row in verdicts_in(stack, project.id)] == [(place, "ood")]


def held(stack: Stack, project_id: int) -> int:
    url = libpq_url(stack.environment["DATABASE_URL"])
    with psycopg.connect(url) as connection:
        row = connection.execute(
            "SELECT count(*) FROM queries WHERE project_id = %s AND NOT done"
            " AND lease_client IS NOT NULL AND lease_expires_at > now()",
            [project_id],
        ).fetchone()
    return int(row[0]) if row else 0


def test_zoom_ends_with_the_image(signed_in: Page, project: ProjectClient) -> None:
    page = signed_in
    page.goto(f"/projects/{project.id}/label")
    image = page.locator("[data-query-id]")
    image.wait_for()
    # How each further image is drawn in the first frame in which it is on the page.
    page.evaluate(
        """() => {
            window.drawn = [];
            new MutationObserver((changes) => {
                for (const { addedNodes } of changes) for (const node of addedNodes)
                    if (node.dataset?.queryId)
                        requestAnimationFrame(() => window.drawn.push(node.style.transform));
            }).observe(document.body, { childList: true, subtree: true });
        }"""
    )
    before = image.bounding_box()
    page.keyboard.press("+")
    page.keyboard.press("+")
    expect(page.get_by_role("button", name="196 %")).to_be_enabled()
    enlarged = image.bounding_box()
    assert before is not None
    assert enlarged is not None
    assert enlarged["width"] > 1.9 * before["width"]
    page.keyboard.press("Escape")
    eventually(lambda: image.bounding_box() == before, "the whole image is shown")
    page.mouse.move(before["x"] + 20, before["y"] + 20)
    page.mouse.wheel(0, -600)
    expect(image).to_have_attribute("style", re.compile("scale"))
    answer(page, "1")
    page.wait_for_function("() => window.drawn.length > 0")
    assert page.evaluate("() => window.drawn") == [""]


def test_guide_and_palette_by_keyboard(
    signed_in: Page, stack: Stack, project: ProjectClient
) -> None:
    page = signed_in
    page.goto(f"/projects/{project.id}/label")
    page.locator("[data-query-id]").wait_for()
    # The guide opens beside the image, and verdicts are given while it is open.
    page.keyboard.press("g")
    guide = page.get_by_role("region", name="What belongs where")
    expect(guide.get_by_role("heading", name="class 12")).to_be_visible()
    guide.get_by_role("button", name="Show this image as an example of class 3").click()
    expect(guide.get_by_role("button", name="No longer always show")).to_have_count(1)
    answer(page, "3")
    page.reload()
    expect(guide.get_by_role("button", name="No longer always show")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(guide).to_have_count(0)
    # A class by its name, without the mouse.
    before = query(page)
    page.keyboard.press("f")
    page.get_by_role("combobox", name="Name of the class").wait_for()
    page.keyboard.type("S 11")
    # High contrast has no backgrounds: a line tells what Enter is about.
    page.emulate_media(forced_colors="active")
    expect(page.get_by_role("option", selected=True)).to_have_css("outline-style", "solid")
    page.keyboard.press("Enter")
    page.wait_for_function(
        "id => document.querySelector('[data-query-id]')?.dataset.queryId !== id", arg=before
    )
    eventually(lambda: len(verdicts_in(stack, project.id)) == 2, "both answers have arrived")
    assert [row[3] for row in verdicts_in(stack, project.id)] == [2, 10]
    # What is written says nothing, goes with the next verdict, and is there where one goes back.
    page.keyboard.press("m")
    page.keyboard.type("x1q or ears?")
    page.keyboard.press("Enter")
    answer(page, "q")
    page.keyboard.press("u")
    expect(page.get_by_role("button", name="Change the note: x1q or ears?")).to_be_visible()
    page.keyboard.press("Enter")
    eventually(lambda: len(verdicts_in(stack, project.id)) == 3, "the note has arrived")
    [noted] = project.pool.find({"note": True})
    [said] = project.pool.show(noted["id"])["annotations"]
    assert (said["verdict"], said["note"]) == ("unsure", "x1q or ears?")
    # Nor is a line drawn around more than what the keys are about.
    page.keyboard.press("v")
    page.locator("[data-tile]").first.wait_for()
    page.keyboard.press("ArrowRight")
    page.keyboard.press(" ")
    lines = "tiles => tiles.filter(tile => getComputedStyle(tile).outlineStyle !== 'none').length"
    assert page.locator("[data-tile]").evaluate_all(lines) == 1
    expect(page.locator("button[aria-pressed=true]")).to_have_css("outline-style", "solid")
