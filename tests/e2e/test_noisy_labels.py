"""A labeled data set with wrong labels: import, prune, relabel, review with keys, take back."""

import csv
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from karat import Client
from karat.client.project import ProjectClient
from tests.e2e.acts import tiles_come_up
from tests.processes import eventually

LEFT, RIGHT = "ArrowLeft", "ArrowRight"
REVIEWED = (LEFT, RIGHT, "x", "q", RIGHT, LEFT, RIGHT, RIGHT, LEFT, RIGHT)


@dataclass(frozen=True)
class DataSet:
    """A folder of images, and what a crowd takes them for; by file name."""

    pool: Path
    size: int
    classes: list[str]
    labels: dict[str, str]

    def table(self) -> Path:
        """The labels as a file, beside a column that holds none."""
        path = self.pool.with_name("labels.csv")
        with path.open("w", newline="") as stream:
            writer = csv.writer(stream)
            writer.writerow(("file", "crowd_label", "note"))
            writer.writerows((name, label, "from a crowd") for name, label in self.labels.items())
        return path


def light_and_dark(pool: Path) -> DataSet:
    """Images of noise, of which every fifth goes by the other name."""
    names, labels = ["light", "dark"], {}
    for seed in range(120):
        pixels = np.random.default_rng(seed).integers(150, 256, (16, 16, 3), dtype=np.uint8)
        dark = seed % 2
        Image.fromarray(pixels - 150 * dark).save(pool / f"{seed}.png")
        labels[f"{seed}.png"] = names[dark ^ (seed % 5 == 0)]
    return DataSet(pool, 16, names, labels)


def cifar10n(source: Path, pool: Path) -> DataSet:
    """The first 2,000 images of CIFAR-10 with the worst of three labels by people."""
    columns = ["image", "worse_label", "label", "class_name"]
    rows = pq.read_table(source / "cifar10_train.parquet", columns=columns).slice(0, 2000)
    names = dict(zip(rows["label"].to_pylist(), rows["class_name"].to_pylist(), strict=True))
    labels = {}
    for index, (image, given) in enumerate(
        zip(rows["image"].to_pylist(), rows["worse_label"].to_pylist(), strict=True)
    ):
        (pool / f"{index}.jpg").write_bytes(image)
        labels[f"{index}.jpg"] = names[given]
    return DataSet(pool, 32, [names[number] for number in sorted(names)], labels)


@pytest.fixture(params=["light and dark", pytest.param("CIFAR-10N", marks=pytest.mark.long)])
def data(request: pytest.FixtureRequest, tmp_path: Path) -> DataSet:
    pool = tmp_path / "pool"
    pool.mkdir()
    if request.param == "light and dark":
        return light_and_dark(pool)
    source = request.config.getoption("cifar10")
    if source is None:
        pytest.skip("needs --cifar10 DIR")
    return cifar10n(source, pool)


def import_labels(page: Page, project: ProjectClient, data: DataSet) -> None:
    page.goto(f"/projects/{project.id}/settings")
    page.locator("input[type=file]").first.set_input_files(data.table())
    dialog = page.get_by_role("dialog", name="Which columns of labels.csv are labels?")
    dialog.get_by_label("crowd_label").check()
    dialog.get_by_role("button", name="Import labels").click()
    expect(page.get_by_text(f"{len(data.labels):,} labels")).to_be_visible(timeout=60_000)
    # Nothing is left to ask about, and the page says what one can do instead.
    page.get_by_role("link", name="Go to jobs").click()


def prune(page: Page) -> None:
    page.get_by_role("button", name="What should I train on?").click()
    card = page.get_by_role("region", name="Prune labels")
    card.locator("summary").click()
    card.get_by_label("Network").select_option("cnn_tiny")
    card.get_by_label("Width").fill("8")
    card.get_by_label("Epochs").fill("3")
    # What cannot be is not quietly replaced by what was there before.
    ratio = card.get_by_label("Ratio")
    ratio.fill("2")
    card.get_by_role("button", name="Start", exact=True).click()
    expect(ratio).to_be_focused()
    expect(card.get_by_role("progressbar")).to_have_count(0)
    ratio.fill("0.5")
    card.get_by_role("button", name="Start", exact=True).click()
    card.get_by_role("link", name="Show the subset").click(timeout=120_000)
    expect(page.get_by_role("region", name="Dropped").get_by_role("img").first).to_be_visible()
    # Another threshold is tried from the table, and the warm-up is not repeated for it.
    page.get_by_role("button", name="Choose again with tau").first.click()
    again = page.get_by_text("so its warm-up was used again and only the choice made anew")
    expect(again.first).to_be_visible(timeout=60_000)
    page.get_by_role("button", name="Train on it").click()
    expect(page.get_by_text("In use")).to_be_visible()
    page.get_by_role("link", name="All jobs").click()


def relabel(page: Page) -> None:
    page.get_by_role("button", name="Which labels are wrong?").click()
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


def decide_on_groups(page: Page, karat: Client, project: ProjectClient) -> None:
    """All of a group with one key, but what is left out; and back."""
    params = {"network": "patch_kmeans", "flip": False, "second_opinion": False}
    job = karat.wait(project.start_job("relabel", params)["id"])
    review = project.review(job["id"])
    page.goto(f"/projects/{project.id}/review/{job['id']}")
    page.get_by_text("Groups", exact=True).click()
    tiles = page.get_by_role("button", name=re.compile("^Decide on "))
    tiles.first.wait_for(timeout=30_000)
    count = tiles.count()
    assert count > 2
    tiles_come_up(page)
    tiles.first.click()
    expect(tiles.first).to_have_attribute("aria-pressed", "false")
    expect(page.get_by_text(f"{count - 1} of {count}", exact=True)).to_be_visible()
    page.keyboard.press(RIGHT)
    eventually(lambda: review.get()["decided"]["accept"] == count - 1, "the group is accepted")
    # The next one, or word that there is none: what was left out is not asked about at once.
    expect(page.get_by_text(f"{count - 1} of {count}", exact=True)).to_have_count(0)
    page.keyboard.press("u")
    eventually(lambda: review.get()["decided"]["accept"] == 0, "it is taken back")
    expect(tiles).to_have_count(count)
    tiles_come_up(page)
    tiles.first.click()
    page.keyboard.press("x")
    eventually(lambda: review.get()["decided"]["ood"] == count, "and called otherwise")
    page.get_by_text("One by one", exact=True).click()
    says = page.get_by_role("region", name="What the decisions say")
    expect(says.get_by_text(f"{count} of 20.")).to_be_visible()


def audit(page: Page) -> None:
    """Labels that were not suggested are drawn, and come up in between."""
    page.get_by_role("button", name="Check 50 others").click()
    drawn = page.get_by_text("were drawn by chance, and come up in between.")
    expect(drawn).to_be_visible(timeout=30_000)
    expect(page.get_by_role("button", name="Check 50 others")).to_have_count(0)


def labels(project: ProjectClient) -> dict[str, str | None]:
    return {one["name"]: one["label"] for one in project.examples()}


def test_an_admin_imports_prunes_relabels_reviews_and_reverts(
    signed_in: Page, karat: Client, data: DataSet
) -> None:
    page = signed_in
    project = karat.create_project("Crowd", data.classes, settings={"input_size": data.size})
    karat.wait(project.import_images(data.pool)["id"])
    import_labels(page, project, data)
    given = labels(project)
    assert given == data.labels
    prune(page)
    relabel(page)
    # The overview knows as well that nothing is left to ask.
    page.get_by_role("navigation", name="Project").get_by_role("link", name="Overview").click()
    page.get_by_role("main").get_by_role("link", name="Go to jobs").click()
    page.get_by_role("link", name="Show the suggestions").click()
    # It learned from the subset in use, without being told.
    relabeled = next(job for job in karat.jobs(project_id=project.id) if job["kind"] == "relabel")
    assert relabeled["params"]["subset"] == project.get()["settings"]["subset"] is not None
    assert relabeled["result"] is not None
    assert relabeled["result"]["trained"] == len(given) // 2
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
    expect(page.get_by_text(f"0 of {found['total']:,}", exact=True)).to_be_visible()
    assert labels(project) == given
    audit(page)
    page.get_by_role("link", name="All jobs").click()
    page.get_by_role("link", name="Show the subset").first.click()
    page.get_by_role("button", name="Train on all labels").click()
    expect(page.get_by_text("In use")).to_have_count(0)
    assert project.get()["settings"]["subset"] is None
    decide_on_groups(page, karat, project)
