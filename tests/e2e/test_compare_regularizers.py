"""Comparing regularizers in the browser: start, follow, read, use, take back."""

from pathlib import Path

import numpy as np
from PIL import Image
from playwright.sync_api import Page, expect

from karat import Client
from karat.project import ProjectClient
from karat.resources import Answer
from karat.stack import Stack
from tests.processes import eventually

CLASSES = ("light", "dark")


def images(path: Path, count: int) -> Path:
    """Light and dark images, and stripes, which are neither."""
    path.mkdir()
    for seed in range(count):
        generator = np.random.default_rng(seed)
        kind = ("light", "dark", "stripes")[seed % 3]
        pixels = generator.integers(150, 256, (16, 16, 3), dtype=np.uint8)
        if kind == "dark":
            pixels -= 150
        if kind == "stripes":
            pixels[::2] = 0
        Image.fromarray(pixels).save(path / f"{kind}-{seed}.png")
    return path


def label(project: ProjectClient) -> None:
    """Answer the whole first queue but for one image, so that no round begins meanwhile."""
    ids = {one["name"]: one["id"] for one in project.get()["classes"]}
    eventually(lambda: project.rounds()[0]["state"] == "open", "the first round opens")
    answers: list[Answer] = []
    for query in project.lease(59)["items"]:
        kind = query["name"].partition("-")[0]
        answer: Answer = {"query_id": query["query_id"], "seconds": 1.0, "verdict": "ood"}
        if kind in ids:
            answer |= {"verdict": "class", "class_id": ids[kind]}
        answers.append(answer)
    assert len(answers) == 59
    project.answer(answers)


def test_an_admin_compares_uses_and_takes_back(
    signed_in: Page, stack: Stack, tmp_path: Path
) -> None:
    page = signed_in
    assert stack.admin_email is not None
    assert stack.admin_password is not None
    with Client(stack.url) as karat:
        karat.login(stack.admin_email, stack.admin_password)
        settings = {"input_size": 16, "budget": 60, "max_rounds": 1}
        project = karat.create_project("Regularizers", list(CLASSES), settings=settings)
        karat.wait(project.import_images(images(tmp_path / "pool", 60))["id"])
        project.start()
        label(project)

        page.goto(f"/projects/{project.id}")
        page.get_by_role("link", name="Jobs").click()
        card = page.get_by_role("region", name="Compare regularizers")
        card.locator("summary").click()
        card.get_by_label("Network").select_option("cnn_tiny")
        card.get_by_label("Width").fill("8")
        card.get_by_label("Steps").fill("30")
        card.get_by_role("button", name="Start", exact=True).click()
        card.get_by_role("link", name="Show the comparison").click(timeout=120_000)

        expect(page.get_by_text("There are no evaluation images")).to_be_visible()
        expect(page.get_by_text("differences of a few percent are chance")).to_be_visible()
        figures = page.get_by_role("group", name="Figures")
        expect(figures.get_by_role("row", name="Accuracy")).to_contain_text("%")
        for method in ("Plain training", "OAT", "TAUFE"):
            drawn = page.get_by_role("img", name=f"{method}:")
            expect(drawn.locator("circle").first).to_be_visible()
            expect(drawn.locator("rect").first).to_be_visible()
        page.get_by_role("img", name="TAUFE:").locator("circle").first.hover(force=True)
        image = page.locator("img[src*='/api/examples/']")
        expect(image).to_be_visible()
        eventually(lambda: image.evaluate("it => it.naturalWidth") > 0, "the image loads")

        before = project.get()["settings"]["model"]
        page.get_by_role("button", name="Use TAUFE for the next rounds").click()
        expect(page.get_by_text("The next rounds train TAUFE")).to_be_visible()
        expect(page.get_by_text("In use")).to_have_count(1)
        used = project.get()["settings"]["model"]
        assert (used["name"], used["params"]["taufe"]) == ("cnn_tiny", 0.1)
        page.get_by_role("button", name="Undo").click()
        expect(page.get_by_text("In use")).to_have_count(0)
        assert project.get()["settings"]["model"] == before
        (job,) = karat.jobs(project_id=project.id, kind="taufe")
        assert len(project.artifacts(job_id=job["id"])) == 4
