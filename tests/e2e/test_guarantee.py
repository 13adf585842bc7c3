"""An owner has the rest of a pool labeled with a guarantee, from random draws to the export."""

import csv
import io
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from PIL import Image
from playwright.sync_api import Page, expect

from karat import Client
from karat.client.labeling_types import Answer
from karat.client.project import ProjectClient
from tests.processes import eventually

COLOURS = {"red": (200, 40, 40), "blue": (40, 40, 200), "green": (40, 180, 40)}
CLASSES = ("red", "blue")
BUDGET = 30


def squares(path: Path, count: int) -> Path:
    """Noisy squares of three colours; the colour is in the name. Green ones are of no class."""
    path.mkdir()
    rng = np.random.default_rng(0)
    for index in range(count):
        name = list(COLOURS)[index % len(COLOURS)]
        pixels = np.array(COLOURS[name]) + rng.integers(-30, 30, (16, 16, 3))
        Image.fromarray(pixels.clip(0, 255).astype(np.uint8)).save(path / f"{name}_{index}.png")
    return path


def answer(project: ProjectClient, most: int) -> int:
    """Answer the first of what waits, each rightly; how many that were."""
    ids = {one["name"]: one["id"] for one in project.get()["classes"]}
    answers: list[Answer] = []
    for query in project.lease(most)["items"]:
        colour = query["name"].partition("_")[0]
        said: Answer = {"query_id": query["query_id"], "seconds": 1.0, "verdict": "ood"}
        if colour in ids:
            said |= {"verdict": "label", "class_id": ids[colour]}
        answers.append(said)
    if answers:
        project.answer(answers)
    return len(answers)


def check(project: ProjectClient, certificate_id: int) -> None:
    """Answer all checks of a certificate, and nothing else, until no more are asked."""

    def standing() -> tuple[str, int]:
        known = project.certificates.get(certificate_id)
        return known["state"], known["asked"]

    done = 0
    while (known := standing())[0] == "asking":
        # Checks are asked first; who went on would answer what else the round asks about.
        while done < known[1]:
            done += answer(project, known[1] - done)
        eventually(partial(_differs, standing, known), "what was answered is taken")


def _differs(standing: Callable[[], tuple[str, int]], known: tuple[str, int]) -> bool:
    return standing() != known


def exported(page: Page, project: ProjectClient, **options: str) -> list[dict[str, str]]:
    found = page.request.get(
        f"/api/projects/{project.id}/export", params={"format": "csv", **options}
    )
    return list(csv.DictReader(io.StringIO(found.text())))


def test_the_rest_is_labeled_with_a_guarantee(
    signed_in: Page, karat: Client, tmp_path: Path
) -> None:
    page = signed_in
    settings = {
        "input_size": 16, "budget": BUDGET, "zero_wait": False, "audit_share": 0.2,
        "model": {"name": "patch_kmeans", "params": {"flip": False}},
    }  # fmt: skip
    project = karat.create_project("Colours", list(CLASSES), settings=settings)
    karat.wait(project.import_images(squares(tmp_path / "pool", 600))["id"])
    project.start()
    eventually(lambda: answer(project, BUDGET) > 0, "the first round opens")
    eventually(
        lambda: (
            project.rounds()[0]["state"] == "closed" and project.rounds()[-1]["state"] == "open"
        ),
        "the second round opens",
    )

    page.goto(f"/projects/{project.id}")
    expect(page.get_by_role("region", name="How right is the model?")).to_contain_text(
        re.compile(r"the model would label about \d+ rightly|checks? (is|are) too few to tell")
    )
    start = page.get_by_role("region", name="Have the rest labeled, with a guarantee")
    start.get_by_text("10", exact=True).click()
    start.get_by_text("90 %", exact=True).click()
    expect(start).to_contain_text("At most 10 of 100 labels of the model will be wrong.")
    expect(start).to_contain_text("Of 10 such guarantees, 9 are kept")
    start.get_by_role("button", name="Begin").click()
    expect(page).to_have_url(re.compile(r"/certificates/\d+$"))
    expect(page.get_by_role("heading", name="People are checking")).to_be_visible(timeout=60_000)

    check(project, int(page.url.rpartition("/")[2]))
    held = page.get_by_role("heading", name=re.compile(r"The guarantee holds for \d+ images"))
    expect(held).to_be_visible(timeout=30_000)
    page.get_by_role("button", name="Label them").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("None of the classes")
    dialog.get_by_role("button", name="Label").click()
    given = page.get_by_role("heading", name="have labels of the model")
    expect(given).to_be_visible(timeout=30_000)

    page.get_by_role("link", name="Read it").click()
    report = page.get_by_role("article", name="Report on labels")
    expect(report).to_contain_text(
        re.compile(r"Of \d+ labels that the model gave, at most \d+ (is|are) wrong")
    )
    expect(report).to_contain_text("What it rests on")
    page.get_by_role("link", name="Back to the guarantee").click()
    page.get_by_role("link", name="Show them").click()
    page.get_by_role("listbox", name="Images").get_by_role("option").first.click()
    expect(page.get_by_role("complementary", name="Image")).to_contain_text(
        re.compile(r"the model, [\d.]+ % sure.*guarantee \d+: at most [\d.]+ of 100 wrong")
    )

    page.goto(f"/projects/{project.id}/settings#exports")
    page.get_by_label("Only labels by people").check()
    link = page.get_by_role("link", name="Download CSV", exact=True)
    expect(link).to_have_attribute("href", re.compile("people_only=true"))
    by_model = [row for row in exported(page, project) if row["source"] == "model"]
    assert len(by_model) > 200
    assert all(float(row["probability"]) > 0 and row["lot"] for row in by_model)
    assert "model" not in {row["source"] for row in exported(page, project, people_only="true")}
