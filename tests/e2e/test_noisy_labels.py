"""A labeled data set with wrong labels: import, prune, relabel, review with keys, take back."""

import csv
from pathlib import Path

import numpy as np
from PIL import Image
from playwright.sync_api import Page, expect

from karat import Client
from karat.project import ProjectClient
from tests.processes import eventually

COUNT = 120
WRONG = 5  # one of so many labels
LEFT, RIGHT = "ArrowLeft", "ArrowRight"
REVIEWED = (LEFT, RIGHT, "x", "q", RIGHT, LEFT, RIGHT, RIGHT, LEFT, RIGHT)


def data_set(folder: Path) -> tuple[Path, Path]:
    """Light and dark images, and a table that calls every fifth by the other name."""
    pool, table = folder / "pool", folder / "labels.csv"
    pool.mkdir()
    with table.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(("file", "crowd_label", "note"))
        for seed in range(COUNT):
            pixels = np.random.default_rng(seed).integers(150, 256, (16, 16, 3), dtype=np.uint8)
            dark = seed % 2
            Image.fromarray(pixels - 150 * dark).save(pool / f"{seed}.png")
            wrong = seed % WRONG == 0
            writer.writerow((f"{seed}.png", ("light", "dark")[dark ^ wrong], "from a crowd"))
    return pool, table


def import_labels(page: Page, project: ProjectClient, table: Path) -> None:
    page.goto(f"/projects/{project.id}/settings")
    page.locator("input[type=file]").first.set_input_files(table)
    dialog = page.get_by_role("dialog", name="Which columns of labels.csv are labels?")
    dialog.get_by_label("crowd_label").check()
    dialog.get_by_role("button", name="Import labels").click()
    expect(page.get_by_text(f"{COUNT} labels")).to_be_visible(timeout=60_000)
    # Nothing is left to ask about, and the page says what one can do instead.
    page.get_by_role("link", name="Go to jobs").click()


def prune(page: Page) -> None:
    card = page.get_by_role("region", name="Prune labels")
    card.locator("summary").click()
    card.get_by_label("Network").select_option("cnn_tiny")
    card.get_by_label("Width").fill("8")
    card.get_by_label("Epochs").fill("3")
    card.get_by_role("button", name="Start", exact=True).click()
    card.get_by_role("link", name="Show the subset").click(timeout=120_000)
    expect(page.get_by_role("region", name="Dropped").get_by_role("img").first).to_be_visible()
    page.get_by_role("button", name="Train on it").click()
    expect(page.get_by_text("In use")).to_be_visible()
    page.get_by_role("link", name="All jobs").click()


def relabel(page: Page) -> None:
    card = page.get_by_role("region", name="Relabel")
    card.locator("summary").click()
    card.get_by_label("Learner").select_option("ce")
    card.get_by_label("Network").select_option("cnn_tiny")
    card.get_by_label("Width").fill("8")
    card.get_by_label("Epochs", exact=True).fill("6")
    card.get_by_role("button", name="Start", exact=True).click()
    card.get_by_role("link", name="Show the suggestions").click(timeout=120_000)


def review(page: Page) -> None:
    page.get_by_role("link", name="doubtful labels").click()
    shown = page.locator("img[data-query-id]")
    for key in REVIEWED:
        before = shown.get_attribute("data-query-id", timeout=30_000)
        page.keyboard.press(key)
        expect(shown).not_to_have_attribute("data-query-id", before or "")
    # The last one again, otherwise.
    page.keyboard.press("u")
    page.get_by_role("button", name="Suggested").and_(
        page.locator("[aria-pressed=true]")
    ).wait_for()
    page.keyboard.press("x")


def labels(project: ProjectClient) -> dict[str, str | None]:
    return {one["name"]: one["label"] for one in project.examples()}


def test_an_admin_imports_prunes_relabels_reviews_and_reverts(
    signed_in: Page, karat: Client, tmp_path: Path
) -> None:
    page = signed_in
    pool, table = data_set(tmp_path)
    project = karat.create_project("Crowd", ["light", "dark"], settings={"input_size": 16})
    karat.wait(project.import_images(pool)["id"])
    import_labels(page, project, table)
    given = labels(project)
    assert given["1.png"] == "dark"
    assert given["0.png"] == "dark"
    prune(page)
    relabel(page)
    review(page)

    decided = {"keep": 3, "accept": 4, "other": 0, "ood": 2, "unsure": 1}
    eventually(lambda: project.reviews()[0]["decided"] == decided, "all decisions arrive in order")
    (found,) = project.reviews()
    assert found["total"] >= 10
    changed = {name for name, label in labels(project).items() if label != given[name]}
    # Accepted, out of distribution, unsure: none is any longer what the file said.
    assert len(changed) == 7

    page.get_by_role("link", name="Crowd").click()
    page.get_by_role("button", name="Take all back").click()
    page.get_by_role("dialog").get_by_role("button", name="Take all back").click()
    expect(page.get_by_text(f"0 of {found['total']}", exact=True)).to_be_visible()
    assert labels(project) == given
    page.get_by_role("link", name="All jobs").click()
    page.get_by_role("link", name="Show the subset").click()
    page.get_by_role("button", name="Train on all labels").click()
    expect(page.get_by_text("In use")).to_have_count(0)
    assert project.get()["settings"]["subset"] is None
