"""What a stranger does first: from the login to the second batch, with a real browser."""

import functools
import io
import zipfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from playwright.sync_api import Page, expect
from sklearn.datasets import load_digits

from tests.e2e.acts import come_up
from tests.e2e.importing import saved, send

BUDGET = 20


@functools.cache
def _digits() -> NDArray[np.float64]:
    """(1797, 8, 8) in 0 … 16: a table of text, which takes a while to read."""
    return np.asarray(load_digits().images)


def digit(index: int) -> bytes:
    """A handwritten digit as PNG, dark on light."""
    pixels = 255 - np.clip(_digits()[index] * 16, 0, 255)
    file = io.BytesIO()
    Image.fromarray(pixels.astype(np.uint8)).save(file, "PNG")
    return file.getvalue()


def zip_of(path: Path, files: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def query(page: Page) -> str | None:
    return page.locator("[data-query-id]").get_attribute("data-query-id")


def answer(page: Page, key: str) -> str | None:
    """Press a key and wait until another image, or none, is shown; returns the answered query."""
    come_up(page)
    before = query(page)
    page.keyboard.press(key)
    page.wait_for_function(
        """before => {
            const image = document.querySelector("[data-query-id]");
            return !image || image.dataset.queryId !== before;
        }""",
        arg=before,
    )
    return before


def covering(page: Page) -> list[str]:
    """What lies over the place of the image that is shown."""
    found = page.evaluate(
        """() => {
            const frame = document.querySelector("[data-query-id]").parentElement;
            const { left, top, width, height } = frame.getBoundingClientRect();
            const over = new Set();
            for (let x = 2; x < width; x += 9)
                for (let y = 2; y < height; y += 9) {
                    const first = document.elementFromPoint(left + x, top + y);
                    if (!frame.contains(first)) over.add(first?.outerHTML ?? "nothing");
                }
            return [...over];
        }"""
    )
    return [str(one) for one in found]


def test_log_in_create_upload_label_and_see_the_next_round(home: Page, tmp_path: Path) -> None:
    page = home
    targets = load_digits().target
    held_out = [index for index in range(300, 400) if targets[index] < 2][:16]
    pool = zip_of(
        tmp_path / "pool.zip",
        {f"{index}.png": digit(index) for index in range(80)} | {"broken.png": b"not an image"},
    )
    evaluation = zip_of(
        tmp_path / "evaluation.zip",
        {f"{('zero', 'one')[targets[i]]}/{i}.png": digit(i) for i in held_out},
    )

    page.get_by_role("link", name="New project").click()
    page.get_by_label("Project name").fill("First digits")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Add a class").click()
    page.keyboard.type("zero")
    page.keyboard.press("Enter")
    page.keyboard.type("one")
    # Enter after the last one makes a row that is nothing.
    page.keyboard.press("Enter")
    saved(page)
    expect(page.get_by_label("Name of class 3")).to_be_focused()
    page.get_by_label("Guidelines").fill("Only zeros and ones.")
    # The draft saves itself, and what is not saved yet is kept: a reload loses nothing.
    page.reload()
    expect(page.get_by_label("Name of class 2")).to_have_value("one")
    expect(page.get_by_label("Guidelines")).to_have_value("Only zeros and ones.")
    saved(page)
    project = page.url.rsplit("/", 2)[-2]
    stored = page.request.get(f"/api/projects/{project}").json()
    assert [one["name"] for one in stored["classes"]] == ["zero", "one"]
    assert stored["guidelines"] == "Only zeros and ones."

    send(page, pool)
    page.get_by_text("80 images added").wait_for(timeout=60_000)
    page.get_by_text("What was refused, and why?").click()
    expect(page.get_by_text("broken.png")).to_be_visible()
    page.get_by_text("Before it is imported").click()
    page.get_by_label("Add to").select_option("evaluation")
    send(page, evaluation)
    page.get_by_text(f"{len(held_out)} images added").wait_for(timeout=60_000)
    page.get_by_label("Budget per round").fill(str(BUDGET))
    # Of the first steps, labeling is the next one.
    steps = page.get_by_role("region", name="First steps")
    expect(steps.get_by_role("listitem").filter(has_text="(done)")).to_have_count(3)
    expect(steps.locator("[aria-current=step]")).to_contain_text("Start labeling")
    # What was edited is saved before the start, without being asked, and it leads to labeling.
    page.get_by_role("button", name="Start labeling").click()
    page.wait_for_url("**/label")
    page.locator("[data-query-id]").wait_for(timeout=60_000)
    page.set_viewport_size({"width": 390, "height": 844})
    assert covering(page) == []
    page.set_viewport_size({"width": 1440, "height": 900})
    page.get_by_role("link", name="First digits").first.click()
    expect(steps.locator("[aria-current=step]")).to_contain_text("Start labeling")
    close = page.get_by_role("button", name="Close round")
    close.wait_for(timeout=60_000)
    # On a phone the notes of a round are read whole, though their table is wider.
    note = page.get_by_text("chosen as typical of the pool")
    note.wait_for(timeout=60_000)
    page.set_viewport_size({"width": 390, "height": 844})
    box = note.bounding_box()
    assert box is not None
    assert box["x"] + box["width"] <= 390
    page.set_viewport_size({"width": 1440, "height": 900})
    close.click()
    expect(page.get_by_role("dialog")).to_contain_text("Nobody has answered in this round yet")
    page.get_by_role("button", name="Cancel").click()
    page.get_by_role("link", name="Label", exact=True).first.click()
    page.locator("[data-query-id]").wait_for(timeout=60_000)

    # The keyboard alone: classes by digit, X for OOD, S skips, U goes back.
    first = answer(page, "1")
    page.keyboard.press("u")
    page.wait_for_function(
        "id => document.querySelector('[data-query-id]')?.dataset.queryId === id", arg=first
    )
    assert answer(page, "x") == first
    answer(page, "s")
    seen = {first}
    for number in range(BUDGET - 1):
        seen.add(answer(page, "12x"[number % 3]))
    assert len(seen) == BUDGET

    page.goto(page.url.removesuffix("/label"))
    rounds = page.get_by_role("group", name="Rounds")
    expect(rounds.get_by_role("row").filter(has_text="Closed")).to_have_count(1, timeout=120_000)
    expect(rounds.get_by_role("row").filter(has_text="Open")).to_have_count(1)
    # There is a model: the first steps are over.
    expect(page.get_by_role("region", name="First steps")).to_have_count(0)
    # The model was evaluated, on few images, and the next batch is in the annotators' queue. One of
    # the twenty was drawn at random, and of what the round chose a share is said from twenty on.
    closed = rounds.get_by_role("row").filter(has_text="Closed")
    expect(closed.get_by_role("cell", name="too few yet")).to_have_count(2)
    page.get_by_role("link", name="Label", exact=True).first.click()
    page.locator("[data-query-id]").wait_for()
    # A reload keeps the annotator's place.
    place = query(page)
    page.reload()
    page.locator("[data-query-id]").wait_for()
    assert query(page) == place

    page.goto("/")
    card = page.get_by_role("article").filter(has_text="First digits")
    expect(card.locator("img")).to_have_count(4)
    for image in card.locator("img").all():
        page.wait_for_function("image => image.naturalWidth > 0", arg=image.element_handle())


def test_answers_survive_a_lost_network(home: Page) -> None:
    page = home
    page.get_by_role("link", name="First digits", exact=True).click()
    page.wait_for_url("**/projects/*")
    base = page.url
    project = base.rstrip("/").rsplit("/", 1)[-1]
    page.goto(f"{base}/label")
    page.locator("[data-query-id]").wait_for()

    def mine() -> int:
        status = page.request.get(f"/api/projects/{project}/labeling/status").json()
        return int(status["mine"]["total"])

    before = mine()
    page.context.set_offline(True)
    for _ in range(5):
        answer(page, "x")
    expect(page.get_by_role("status").filter(has_text="5 verdicts")).to_be_visible()
    page.context.set_offline(False)
    expect(page.get_by_role("status").filter(has_text="verdicts")).to_have_count(0)
    assert mine() == before + 5
