"""An engineer looks at rounds of MQ-Net: map, slider, preview, outline."""

import re
from pathlib import Path

import numpy as np
from PIL import Image
from playwright.sync_api import Page, expect
from sklearn.datasets import load_digits

from karat import Client
from karat.client.labeling_types import Answer
from karat.client.project import ProjectClient
from tests.processes import eventually

# Half of the digits: of few classes the first queue may hold one, and a model knows no other then.
CLASSES = ("zero", "one", "two", "three", "four")
BUDGET = 20


def digits(path: Path, count: int) -> Path:
    path.mkdir()
    data = load_digits()
    for index in range(count):
        grey = np.clip(data.images[index] * 15.9, 0, 255).astype(np.uint8)
        name = f"{data.target[index]}_{index}.png"
        Image.fromarray(grey).resize((16, 16)).save(path / name)
    return path


def label(project: ProjectClient, number: int) -> None:
    """Answer a round until its budget is spent, and wait for the next."""
    ids = [one["id"] for one in project.get()["classes"]]
    eventually(lambda: len(project.rounds()) > number, "the round is made")
    eventually(lambda: project.rounds()[number]["state"] == "open", "the round opens")
    answers: list[Answer] = []
    for query in project.lease(BUDGET)["items"]:
        digit = int(query["name"].partition("_")[0])
        answer: Answer = {"query_id": query["query_id"], "seconds": 1.0, "verdict": "ood"}
        if digit < len(CLASSES):
            answer |= {"verdict": "label", "class_id": ids[digit]}
        answers.append(answer)
    project.answer(answers)


def test_round_page(signed_in: Page, karat: Client, tmp_path: Path) -> None:
    page = signed_in
    settings = {
        "input_size": 16, "budget": BUDGET, "zero_wait": False, "audit_share": 0,
        "model": {"name": "patch_kmeans", "params": {"flip": False}},
        # Batches this small are often pure; purity would then be forgotten.
        "strategy": {"name": "mqnet", "params": {"without_ood": "keep"}},
    }  # fmt: skip
    project = karat.create_project("Digits on a map", list(CLASSES), settings=settings)
    karat.wait(project.import_images(digits(tmp_path / "pool", 200))["id"])
    project.start()
    for number in range(3):
        label(project, number)
    eventually(
        lambda: len(project.rounds()) > 3 and project.rounds()[3]["state"] == "open",
        "the fourth round opens",
    )
    assert project.outlook()["advice"] == "unknown"

    page.goto(f"/projects/{project.id}")
    expect(page.get_by_role("region", name="Another round?")).to_contain_text(
        "There is no accuracy yet", timeout=30_000
    )
    drawn = page.get_by_role("img", name=re.compile(r"^Weight of purity"))
    expect(drawn).to_have_attribute("aria-label", re.compile(r"Round 3: \d"))
    page.get_by_role("link", name="Round 2", exact=True).click()
    expect(page.get_by_role("region", name="What came of it")).to_contain_text("Weight of purity")
    chart = page.get_by_role("img", name=re.compile(r"^Map of 160 images"))
    expect(chart).to_be_visible(timeout=60_000)
    expect(chart).to_have_attribute("aria-label", re.compile("MQ-Net.s Φ"))

    # The slider goes to a round before, and so do the keys.
    page.get_by_role("slider", name="Round").fill("3")
    expect(page).to_have_url(re.compile(r"/rounds/3"))
    later = page.get_by_role("img", name=re.compile(r"^Map of 140 images"))
    expect(later).to_be_visible(timeout=60_000)
    page.get_by_role("heading", name="Round 3").click()
    page.keyboard.press("ArrowLeft")
    expect(chart).to_be_visible()

    # Point at the best query: its scores tell where it is drawn.
    first = page.request.get(f"/api/projects/{project.id}/maps/2/queries").json()["items"][0]
    maps = page.request.get(f"/api/projects/{project.id}/maps").json()["items"]
    box = chart.bounding_box()
    assert box is not None

    def along(axis: str, value: float) -> float:
        low = min(one[axis]["low"] for one in maps)
        high = max(one[axis]["high"] for one in maps)
        room = (high - low) * 0.05
        return float((value - low + room) / (high - low + 2 * room))

    x = box["x"] + 1 + (box["width"] - 2) * along("purity", first["purity"])
    y = (
        box["y"]
        + 1
        + (box["height"] - 2) * (1 - along("informativeness", first["informativeness"]))
    )
    page.mouse.move(x, y)
    page.mouse.move(x + 1, y)
    shown = page.locator("img[width='96']")
    expect(shown).to_be_visible(timeout=30_000)
    page.mouse.down()
    page.mouse.up()
    expect(page.get_by_role("list", name="Kept images")).to_contain_text("purity")

    # An outline around everything shows the whole pool of the round, page by page.
    page.get_by_role("button", name="Draw an outline").click()
    # Within its round corners.
    left, top = box["x"] + 8, box["y"] + 8
    right, bottom = box["x"] + box["width"] - 8, box["y"] + box["height"] - 8
    page.mouse.move(left, top)
    page.mouse.down()
    for corner in ((right, top), (right, bottom), (left, bottom)):
        page.mouse.move(*corner, steps=4)
    page.mouse.up()
    inside = page.get_by_role("region", name="Inside the outline")
    expect(inside).to_contain_text("160 images", timeout=30_000)
    expect(inside.get_by_role("img")).to_have_count(60)
    inside.get_by_role("button", name="Show more").click()
    expect(inside.get_by_role("img")).to_have_count(120)
    # The address keeps the outline.
    page.reload()
    expect(inside).to_contain_text("160 images", timeout=60_000)

    # The legend takes verdicts away, also from the gallery of what was asked.
    asked = page.get_by_role("region", name="Asked about in this round")
    expect(asked.get_by_role("img")).to_have_count(BUDGET)
    page.get_by_role("button", name=re.compile("^None of the classes")).click()
    expect(asked.get_by_role("img", name=re.compile("None$"))).to_have_count(0)

    # What the project has chosen had no say in the first round.
    page.goto(f"/projects/{project.id}/rounds/0")
    chosen = page.get_by_role("region", name="Settings of the round")
    expect(chosen).to_contain_text("First images", timeout=60_000)
    expect(chosen).not_to_contain_text("MQ-Net")
