"""An owner has the rest of a pool labeled with a guarantee, from random draws to the export."""

import csv
import io
import re
from pathlib import Path

from playwright.sync_api import Page, expect

from karat import Client
from karat.client.project import ProjectClient
from tests.e2e.fruit import check, fruit_project


def exported(page: Page, project: ProjectClient, **options: str) -> list[dict[str, str]]:
    found = page.request.get(
        f"/api/projects/{project.id}/export", params={"format": "csv", **options}
    )
    return list(csv.DictReader(io.StringIO(found.text())))


def test_the_rest_is_labeled_with_a_guarantee(
    signed_in: Page, karat: Client, tmp_path: Path
) -> None:
    page = signed_in
    project = fruit_project(karat, "Fruit", tmp_path / "pool", 600)

    page.goto(f"/projects/{project.id}")
    expect(page.get_by_role("region", name="How right is the model?")).to_contain_text(
        re.compile(r"the model would label about \d+ rightly|checks? (is|are) too few to tell")
    )
    start = page.get_by_role("region", name="Have the rest labeled, with a guarantee")
    start.get_by_text("10", exact=True).click()
    start.get_by_text("90 %", exact=True).click()
    expect(start).to_contain_text("At most 10 of 100 labels of the model will be wrong.")
    expect(start).to_contain_text("Of 10 such guarantees, 9 are kept")
    start.get_by_role("button", name="What would it take?").click()
    foreseen = re.compile(r"about \d+ checks \(\d+ to \d+\)")
    expect(start).to_contain_text(foreseen, timeout=60_000)
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
        re.compile(r"the model, [\d.]+\s% sure.*guarantee \d+: at most [\d.]+ of 100 wrong")
    )

    page.goto(f"/projects/{project.id}/settings#exports")
    page.get_by_label("Only labels by people").check()
    link = page.get_by_role("link", name="Download CSV", exact=True)
    expect(link).to_have_attribute("href", re.compile("people_only=true"))
    by_model = [row for row in exported(page, project) if row["source"] == "model"]
    assert len(by_model) > 200
    assert all(float(row["probability"]) > 0 and row["lot"] for row in by_model)
    assert "model" not in {row["source"] for row in exported(page, project, people_only="true")}
