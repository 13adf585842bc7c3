"""What a stranger does first: from the login to the second batch, with a real browser."""

import io
import zipfile
from pathlib import Path

import numpy as np
from PIL import Image
from playwright.sync_api import Page, expect
from sklearn.datasets import load_digits

from tests.e2e.importing import send

BUDGET = 20


def digit(index: int) -> bytes:
    """A handwritten digit as PNG, dark on light."""
    pixels = 255 - np.clip(load_digits().images[index] * 16, 0, 255)
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


def test_log_in_create_upload_label_and_see_the_next_round(signed_in: Page, tmp_path: Path) -> None:
    page = signed_in
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
    # The draft is on the server: a reload loses nothing.
    page.get_by_label("Guidelines").fill("Only zeros and ones.")
    page.reload()
    expect(page.get_by_label("Name of class 2")).to_have_value("one")

    send(page, pool)
    page.get_by_text("80 images added").wait_for(timeout=60_000)
    page.get_by_text("What was refused, and why?").click()
    expect(page.get_by_text("broken.png")).to_be_visible()
    page.get_by_label("Add to").select_option("evaluation")
    send(page, evaluation)
    page.get_by_text(f"{len(held_out)} images added").wait_for(timeout=60_000)
    page.get_by_label("Budget per round").fill(str(BUDGET))
    page.get_by_role("button", name="Save changes").click()
    page.get_by_role("button", name="Save changes").wait_for(state="detached")

    page.get_by_role("button", name="Start labeling").click()
    close = page.get_by_role("button", name="Close round")
    close.wait_for(timeout=60_000)
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
    # The model was evaluated, and the next batch is in the annotators' queue.
    expect(rounds.get_by_role("row").filter(has_text="Closed")).to_contain_text("%")
    page.get_by_role("link", name="Label", exact=True).first.click()
    page.locator("[data-query-id]").wait_for()
    # A reload keeps the annotator's place.
    place = query(page)
    page.reload()
    page.locator("[data-query-id]").wait_for()
    assert query(page) == place


def test_answers_survive_a_lost_network(signed_in: Page) -> None:
    page = signed_in
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
