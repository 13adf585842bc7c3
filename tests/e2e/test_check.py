"""Wrong labels of a data set: dropped on the first page, and as the report of ``karat check``."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from karat import Client
from tests.check_cases import coloured, labeled, put
from tests.e2e.chromium import complaints


def test_a_folder_is_dropped_on_the_first_page_and_leads_to_its_review(
    home: Page, karat: Client, tmp_path: Path
) -> None:
    folder = put(tmp_path / "colours", labeled(12, 1))
    # Nobody could say of the only image of its class whether it is right.
    put(folder, {"rde/slip.png": coloured("red", 900)})
    page = home
    zone = page.get_by_role("region", name="Drop images or texts here")
    zone.get_by_label("Choose a folder").set_input_files(folder)
    dialog = page.get_by_role("dialog", name="What is to be done with colours?")
    dialog.get_by_role("button", name="Find the wrong labels").click()
    page.wait_for_url("**/jobs/*", timeout=120_000)
    expect(page.get_by_role("heading", name="What was found")).to_be_visible()
    review = page.get_by_role("link", name="Review 3 doubtful labels")
    (project,) = (one for one in karat.projects() if one["name"] == "colours")
    classes = karat.project(project["id"]).get()["classes"]
    assert [one["name"] for one in classes] == ["blue", "green", "red"]
    assert project["counts"]["pool"] == 37
    review.click()
    page.wait_for_url("**/review/*")
    page.locator("img[data-query-id]").wait_for()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_text("1 of 3")).to_be_visible()
    # Of so few suggestions there never come enough decisions to judge them by.
    expect(page.get_by_text("Of the 2 left")).to_be_visible()
    expect(page.get_by_text("Too few decisions")).to_have_count(0)
    # What was put right is taken away, though nothing was started.
    page.goto(f"/projects/{project['id']}")
    page.get_by_role("button", name="Export").click()
    page.get_by_role("link", name="Label Studio, COCO, Parquet").click()
    expect(page.get_by_role("region", name="Exports")).to_contain_text("Annotations")

    # The same once more has a name of its own; what nobody can judge is said, and nothing is lost.
    one = put(tmp_path / "one" / "colours", {f"red/{n}.png": coloured("red", n) for n in range(3)})
    page.goto("/")
    zone.get_by_label("Choose a folder").set_input_files(one)
    dialog.get_by_role("button", name="Find the wrong labels").click()
    said = page.get_by_text("All labels are the same, red.")
    expect(said).to_be_visible(timeout=60_000)
    expect(page.get_by_role("heading", name="colours 2")).to_be_visible()
    page.reload()
    expect(said).to_be_visible()
    page.get_by_role("link", name="Set it up by hand").click()
    page.wait_for_url("**/settings")

    table = tmp_path / "labels.csv"
    table.write_text("file,label\n")
    page.goto("/")
    zone.get_by_label("Choose a file").set_input_files(table)
    expect(page.get_by_text("labels.csv cannot be used here.")).to_be_visible()


@pytest.mark.parametrize("width", [1440, 390])
def test_the_report_of_a_check_shows_its_pictures_and_asks_for_nothing(
    browser: Browser, report: Path, width: int
) -> None:
    context = browser.new_context(viewport={"width": width, "height": 900})
    page = context.new_page()
    errors, asked = complaints(page), []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(report.as_uri())
    expect(page.get_by_role("heading", level=1)).to_have_text("Which labels of colours are wrong?")
    pictures = page.get_by_role("img")
    assert pictures.count() == 3
    for picture in pictures.all():
        picture.scroll_into_view_if_needed()
        assert picture.evaluate("image => image.decode().then(() => image.naturalWidth)") > 0
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert [url for url in asked if not url.startswith("data:")] == [report.as_uri()]
    assert errors == []
    context.close()


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The HTML page of a check."""
    work = tmp_path_factory.mktemp("check")
    put(work / "colours", labeled(12, 1))
    subprocess.run(
        [sys.executable, "-m", "karat", "check", "colours"],
        cwd=work,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return work / "colours-check.html"
