import re
from pathlib import Path
from playwright.sync_api import Page, expect
from karat import Client
from tests.e2e.labeled import images, labeled_project

OUT = Path("/tmp/q31/p4/shots")


def test_shots(signed_in: Page, karat: Client, tmp_path: Path) -> None:
    OUT.mkdir(exist_ok=True)
    page = signed_in
    project = labeled_project(karat, "Shots", tmp_path)
    (tmp_path / "more").mkdir()
    karat.wait(project.import_images(images(tmp_path / "more" / "second", 60))["id"])
    grid = page.get_by_role("listbox", name="Images")
    for width in (1440, 390):
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(f"/projects/{project.id}/pool?state=labeled")
        expect(grid.get_by_role("option").first).to_be_visible()
        grid.get_by_role("option").first.click(modifiers=["Control"])
        page.screenshot(path=OUT / f"bar-{width}.png")
        page.get_by_role("button", name="Withdraw", exact=True).click()
        expect(page.get_by_role("dialog")).to_contain_text("answers")
        page.screenshot(path=OUT / f"dialog-{width}.png")
        page.get_by_role("button", name="Withdraw for good").click()
        expect(page.get_by_text(re.compile(r"^1 image withdrawn"))).to_be_visible()
        page.screenshot(path=OUT / f"done-{width}.png")
        image = next(iter(project.pool.find({"state": "labeled"})))["id"]
        page.goto(f"/projects/{project.id}/pool?image={image}")
        expect(page.get_by_role("complementary", name="Image")).to_be_visible()
        page.wait_for_timeout(600)
        page.screenshot(path=OUT / f"panel-{width}.png")
        page.goto(f"/projects/{project.id}/settings#images")
        expect(page.get_by_role("button", name="Take back").first).to_be_visible()
        page.wait_for_timeout(500)
        page.get_by_role("button", name="Take back").first.scroll_into_view_if_needed()
        page.screenshot(path=OUT / f"imports-{width}.png")
    page.get_by_role("button", name="Take back").first.click()
    page.wait_for_timeout(700)
    page.screenshot(path=OUT / "import-dialog-390.png")
