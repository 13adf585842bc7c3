"""Two columns of labels contradict each other: an engineer decides by keys or on a phone."""

import csv
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from karat import Client
from karat.client.project import ProjectClient
from tests.e2e.labeled import images
from tests.processes import eventually

CLASSES = ("light", "dark", "stripes")
# By file: what the two columns say. The last two agree.
SAID = {
    "light-0.png": ("light", "dark"),
    "dark-1.png": ("light", "dark"),
    "stripes-2.png": ("light", "dark"),
    "light-3.png": ("light", "light"),
    "dark-4.png": ("dark", "dark"),
}


def contradicted(karat: Client, folder: Path) -> ProjectClient:
    project = karat.create_project("Two minds", list(CLASSES), settings={"input_size": 16})
    karat.wait(project.import_images(images(folder / "pool", len(SAID)))["id"])
    table = folder / "labels.csv"
    with table.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(("file", "ada", "ben"))
        writer.writerows((name, *said) for name, said in SAID.items())
    job = project.import_images(table, annotation_columns=("ada", "ben"), key_column="file")
    karat.wait(job["id"])
    return project


def name_of(page: Page) -> str:
    """The file of the image that is shown."""
    shown = page.locator("img[data-query-id]").get_attribute("alt", timeout=30_000) or ""
    return shown.rpartition(" ")[2]


def decide(page: Page, key: str) -> str:
    name = name_of(page)
    before = page.locator("img[data-query-id]").get_attribute("data-query-id") or ""
    page.keyboard.press(key)
    expect(page.locator(f'img[data-query-id="{before}"]')).to_have_count(0)
    return name


def labels(project: ProjectClient) -> dict[str, tuple[str, str | None]]:
    return {one["name"]: (one["state"], one["label"]) for one in project.examples()}


def test_an_engineer_settles_what_two_columns_disagree_on(
    signed_in: Page, browser: Browser, karat: Client, tmp_path: Path
) -> None:
    page = signed_in
    project = contradicted(karat, tmp_path)
    given = labels(project)
    assert project.disagreements().get()["open"] == 3
    page.goto("/")
    expect(page.get_by_role("link", name="Decide on 3 disagreements, Two minds")).to_be_visible()
    page.goto(f"/projects/{project.id}")
    card = page.get_by_role("region", name="Agreement")
    expect(card).to_contain_text("Verdicts contradict each other on 3 images")
    card.get_by_role("link", name="Decide").click()

    expect(page.get_by_role("button", name="Some said light 1 of 2 verdicts")).to_be_visible()
    expect(page.get_by_role("button", name="Others said dark 1 of 2 verdicts")).to_be_visible()
    kept = decide(page, "ArrowLeft")
    # The key of the class that others said: the label on the right.
    accepted = decide(page, "2")
    other = name_of(page)
    page.keyboard.press("3")
    expect(page.get_by_text("All decided")).to_be_visible()
    expected: dict[str, tuple[str, str | None]] = {
        kept: ("labeled", "light"),
        accepted: ("labeled", "dark"),
        other: ("labeled", "stripes"),
        "light-3.png": ("labeled", "light"),
        "dark-4.png": ("labeled", "dark"),
    }
    assert expected.keys() == SAID.keys()
    eventually(lambda: labels(project) == expected, "the labels are what was decided")
    decided = project.disagreements().get()["decided"]
    assert decided == {"keep": 1, "accept": 1, "other": 1, "ood": 0, "unsure": 0}

    # Back to the last two: the class that was named is pressed, and one is decided otherwise.
    page.keyboard.press("u")
    expect(page.get_by_role("button", name="stripes", pressed=True)).to_be_visible()
    page.keyboard.press("u")
    assert name_of(page) == accepted
    expect(page.get_by_role("button", name="Others said dark", pressed=True)).to_be_visible()
    page.keyboard.press("x")
    # Once that is stored, the next one is there as it was decided.
    expect(page.get_by_role("button", name="stripes", pressed=True)).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.get_by_text("3 disagreements are settled.")).to_be_visible()
    expected[accepted] = ("ood", None)
    eventually(lambda: labels(project) == expected, "the label follows the second decision")

    page.get_by_role("link", name="Back to the project").click()
    expect(card).to_contain_text("3 disagreements are settled.")
    expect(card.get_by_role("link", name="Decide")).to_have_count(0)
    card.get_by_role("button", name="Take all back").click()
    page.get_by_role("dialog").get_by_role("button", name="Take all back").click()
    expect(card.get_by_role("link", name="Decide")).to_be_visible()
    assert labels(project) == given

    # On a phone: what fingers do is told, where there are no keys, and the labels are tapped.
    context = browser.new_context(
        storage_state=page.context.storage_state(),
        base_url=page.url.partition("/projects")[0],
        viewport={"width": 390, "height": 844},
        has_touch=True,
        is_mobile=True,
        reduced_motion="reduce",
    )
    phone = context.new_page()
    for path, told in (
        ("label", "Tap what it is."),
        ("label/grid", "Tap images to choose them"),
        ("review/disagreements", "Tap the label that is right"),
    ):
        phone.goto(f"/projects/{project.id}/{path}")
        phone.get_by_role("button", name="Help").tap()
        help_ = phone.get_by_role("dialog", name="Help")
        expect(help_).to_contain_text(told)
        expect(help_.locator("kbd")).to_have_count(0)
        help_.get_by_role("button", name="Close").tap()
    name = name_of(phone)
    phone.get_by_role("button", name="Others said dark").tap()
    eventually(lambda: labels(project)[name] == ("labeled", "dark"), "what was tapped counts")
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390
    context.close()
