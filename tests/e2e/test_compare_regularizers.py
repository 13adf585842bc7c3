"""Comparing regularizers in the browser: start, follow, read, use, take back."""

from pathlib import Path

from playwright.sync_api import Page, expect

from karat import Client
from tests.e2e.labeled import labeled_project
from tests.processes import eventually


def test_an_admin_compares_uses_and_takes_back(
    signed_in: Page, karat: Client, tmp_path: Path
) -> None:
    page = signed_in
    project = labeled_project(karat, "Regularizers", tmp_path)
    page.goto(f"/projects/{project.id}")
    page.get_by_role("link", name="Jobs").click()
    # It begins with questions, not with algorithms.
    expect(page.get_by_role("main").get_by_role("heading", level=2).first).to_have_text(
        "What do you want to know?"
    )
    expect(page.get_by_role("button", name="Start", exact=True)).to_have_count(0)
    page.get_by_role("button", name="Do images of none of the classes help?").click()
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
    expect(figures.get_by_role("row", name="Accuracy")).to_contain_text("too few yet")
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
    expect(page.get_by_text("In use", exact=True)).to_have_count(1)
    used = project.get()["settings"]["model"]
    assert (used["name"], used["params"]["taufe"]) == ("cnn_tiny", 0.1)
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("In use", exact=True)).to_have_count(0)
    assert project.get()["settings"]["model"] == before
    (job,) = karat.jobs(project_id=project.id, kind="taufe")
    assert len(project.artifacts(job_id=job["id"])) == 4
