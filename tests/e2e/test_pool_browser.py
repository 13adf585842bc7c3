"""The pool browser: filter, select, send to the queue, make a class."""

import re
from pathlib import Path

from playwright.sync_api import Page, expect

from karat import Client
from karat.client.labeling_types import Answer
from tests.e2e.labeled import images
from tests.processes import eventually


def test_an_engineer_finds_images_sends_them_to_the_queue_and_promotes_an_ood_group(
    signed_in: Page, karat: Client, tmp_path: Path
) -> None:
    page = signed_in
    settings = {"input_size": 16, "budget": 10, "zero_wait": False}
    project = karat.create_project("Browse", ["light", "dark"], settings=settings)
    pool = images(tmp_path / "pool", 60)
    names = sorted(one.name for one in pool.iterdir())
    rows = "".join(f"{name},{at % 2},{at / 100}\n" for at, name in enumerate(names))
    (pool / "metadata.csv").write_text(f"file_name,camera,score\n{rows}")
    karat.wait(project.import_images(pool)["id"])
    project.start()
    eventually(lambda: project.rounds()[0]["state"] == "open", "the first round opens")

    page.goto(f"/projects/{project.id}/pool?state=unlabeled")
    grid = page.get_by_role("listbox", name="Images")
    expect(page.get_by_role("heading", name="50 images")).to_be_visible()
    page.get_by_label("Name contains").fill("stripes")
    expect(page).to_have_url(re.compile("name=stripes"))
    first = next(iter(project.pool.find({"state": "unlabeled", "name": "stripes"})))
    expect(grid.get_by_role("option").first).to_have_accessible_name(
        re.compile(re.escape(first["name"]))
    )

    # By keyboard: three in a row, then one look at the large image. J goes into the grid.
    page.get_by_label("Name contains").blur()
    page.keyboard.press("j")
    expect(grid).to_be_focused()
    page.keyboard.press("x")
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("Shift+ArrowRight")
    expect(page.get_by_role("toolbar", name="3 selected")).to_be_visible()
    page.keyboard.press("Enter")
    panel = page.get_by_role("complementary", name="Image")
    expect(panel).to_contain_text("Nobody has said anything yet.")
    expect(page).to_have_url(re.compile("image=[0-9]+"))
    shown = page.url
    page.keyboard.press("j")
    expect(page).not_to_have_url(shown)
    page.keyboard.press("Escape")
    expect(panel).to_have_count(0)
    page.get_by_role("button", name="Send to queue").click()
    page.get_by_role("dialog").get_by_role("button", name="Send to queue").click()
    expect(page.get_by_text("3 images sent to the head of the queue")).to_be_visible()
    # The annotator gets them next, and says OOD.
    handed = project.lease(3)["items"]
    sent = [one["example_id"] for one in handed]
    assert sent[0] == first["id"]
    assert all("stripes" in one["name"] for one in handed)
    answers: list[Answer] = [
        {"query_id": one["query_id"], "verdict": "ood", "seconds": 1.0} for one in handed
    ]
    project.answer(answers)

    page.goto(f"/projects/{project.id}/pool?state=ood")
    expect(page.get_by_role("heading", name="3 images")).to_be_visible()
    grid.get_by_role("option").first.click(modifiers=["Control"])
    page.get_by_role("button", name="Select all 3").click()
    page.get_by_role("button", name="Make a class").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name of the class").fill("stripes")
    dialog.get_by_role("button", name="Add class and send").click()
    expect(page.get_by_text("stripes is a class now; 3 images sent")).to_be_visible()
    assert [one["name"] for one in project.get()["classes"]] == ["light", "dark", "stripes"]
    again = project.lease(3)["items"]
    assert {one["example_id"] for one in again} == set(sent)
    stripes = project.get()["classes"][2]["id"]
    project.answer(
        [
            {
                "query_id": again[0]["query_id"],
                "verdict": "label",
                "class_id": stripes,
                "seconds": 1.0,
            }
        ]
    )
    page.goto(f"/projects/{project.id}/pool?image={again[0]['example_id']}")
    expect(panel.get_by_role("listitem").first).to_contain_text("stripes")
    expect(panel).to_contain_text("replaced")

    # What one sees to be wrong is put right there, by one key; and taken back by another.
    said = panel.get_by_role("group", name="Verdict")
    expect(said.get_by_role("button", name="stripes", pressed=True)).to_be_visible()
    page.keyboard.press("2")
    expect(said.get_by_role("button", name="dark", pressed=True)).to_be_visible()
    expect(panel.get_by_role("listitem").first).to_contain_text("dark")
    assert project.pool.show(again[0]["example_id"])["label"] == "dark"
    page.keyboard.press("u")
    expect(said.get_by_role("button", name="stripes", pressed=True)).to_be_visible()
    page.keyboard.press("Escape")
    # Likewise of all that are selected.
    page.goto(f"/projects/{project.id}/pool?class_id={stripes}")
    grid.get_by_role("option").first.click(modifiers=["Control"])
    page.get_by_role("button", name="Label as…").click()
    dialog.get_by_role("combobox", name="As").select_option(label="None of the classes")
    dialog.get_by_role("button", name="Label", exact=True).click()
    expect(page.get_by_text("1 image labeled: None of the classes.")).to_be_visible()
    assert project.pool.show(again[0]["example_id"])["state"] == "ood"
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("Your verdict on 1 image was taken back.")).to_be_visible()
    assert project.pool.show(again[0]["example_id"])["label"] == "stripes"

    # What came along finds images, and what is shown so leaves by itself.
    page.goto(f"/projects/{project.id}/pool")
    page.get_by_label("Field", exact=True).select_option("score")
    page.get_by_label("To", exact=True).fill("0.09")
    expect(page.get_by_role("heading", name="10 images")).to_be_visible()
    page.get_by_label("Field", exact=True).select_option("camera")
    page.get_by_label("1", exact=True).check()
    expect(page.get_by_role("heading", name="5 images")).to_be_visible()
    page.reload()
    page.get_by_role("button", name="Remove: camera = 1").click()
    expect(page.get_by_role("heading", name="10 images")).to_be_visible()
    page.get_by_role("link", name="Export these").click()
    exports = page.locator("#exports")
    expect(exports).to_contain_text("Only what the pool page showed: 10 images.")
    with page.expect_download() as leaving:
        exports.get_by_role("link", name="Download CSV").click()
    assert leaving.value.suggested_filename == f"karat-project-{project.id}-filtered.csv"
    # One is taken out for good, once it was said what goes with it.
    page.goto(f"/projects/{project.id}/pool?image={again[0]['example_id']}")
    panel.get_by_role("button", name="Withdraw", exact=True).click()
    expect(dialog).to_contain_text("It has answers.")
    dialog.get_by_role("button", name="Withdraw for good").click()
    expect(page.get_by_text(re.compile(r"^1 image withdrawn"))).to_be_visible()
    expect(page.get_by_role("heading", name="59 images")).to_be_visible()
    assert project.pool.count({"split": "all"})["count"] == 59

    # A link to what is not there says so, and leads back.
    page.goto(f"/projects/{project.id}/pool?image=99999")
    expect(panel.get_by_role("heading", name="There is no such image")).to_be_visible()
    panel.get_by_role("button", name="Back to the images").click()
    expect(panel).to_have_count(0)
    expect(grid).to_be_focused()
