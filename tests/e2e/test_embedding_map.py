"""The map of a pool: made from the page, outlined, and acted on; by keyboard too."""

import re
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from karat import Client
from tests.e2e.labeled import images
from tests.processes import eventually


def drag(page: Page, shown: Locator, corners: list[tuple[float, float]]) -> None:
    """Draw along places given as shares of the map's width and height."""
    box = shown.bounding_box()
    assert box is not None
    places = [(box["x"] + x * box["width"], box["y"] + y * box["height"]) for x, y in corners]
    page.mouse.move(*places[0])
    page.mouse.down()
    for place in places[1:]:
        page.mouse.move(*place, steps=5)
    page.mouse.up()


def test_what_lies_together_on_the_map_is_outlined_and_sent_to_the_queue(
    signed_in: Page, karat: Client, tmp_path: Path
) -> None:
    page = signed_in
    settings = {"input_size": 16, "budget": 10, "zero_wait": False}
    project = karat.create_project("Atlas", ["light", "dark"], settings=settings)
    karat.wait(project.import_images(images(tmp_path / "pool", 60))["id"])
    project.start()
    eventually(lambda: project.rounds()[0]["state"] == "open", "the first round opens")

    page.goto(f"/projects/{project.id}/pool")
    page.get_by_text("Map", exact=True).click()
    expect(page).to_have_url(re.compile("view=map"))
    expect(page.get_by_text("There is no map yet")).to_be_visible()
    page.get_by_role("button", name="Start", exact=True).click()
    shown = page.get_by_role("img", name=re.compile("^Map of 60 images"))
    expect(shown).to_be_visible(timeout=120_000)
    legend = page.get_by_role("group", name="Colours")
    expect(legend.get_by_role("button", name="Not looked at 50")).to_have_attribute(
        "aria-pressed", "true"
    )
    expect(legend.get_by_role("button", name="In the queue 10")).to_be_visible()

    # An outline around everything holds everything; one around the left half some of it.
    page.get_by_role("button", name="Draw an outline").click()
    drag(page, shown, [(0.01, 0.01), (0.5, 0.01), (0.5, 0.98), (0.01, 0.98), (0.01, 0.02)])
    expect(page).to_have_url(re.compile("outline="))
    heading = page.get_by_role("heading", name="inside the outline")
    expect(heading).to_be_visible()
    number = int(re.findall(r"\d+", heading.inner_text())[0])
    assert 0 < number < 60
    grid = page.get_by_role("listbox", name="Images")
    # What lies inside says the server, whatever the page has drawn.
    outline = re.findall(r"outline=([^&]+)", page.url)[0].replace("%3A", ":").replace("%3B", ";")
    inside = list(project.pool.find({"outline": outline.replace("%2C", ",")}))
    assert len(inside) == number
    # Only those in view are in the page.
    expect(grid.get_by_role("option").first).to_have_accessible_name(
        re.compile(re.escape(inside[0]["name"]))
    )

    page.get_by_role("button", name="Select all inside").click()
    page.get_by_role("button", name="Hold out").click()
    page.get_by_role("dialog").get_by_role("button", name="Hold out").click()
    waiting = sum(one["state"] == "queried" for one in inside)
    held = f"{number - waiting} images? held out"
    expect(page.get_by_text(re.compile(held))).to_be_visible()
    # The colours follow, and the legend takes away what is not to be seen.
    gone = legend.get_by_role("button", name=f"Held out {number - waiting}")
    expect(gone).to_be_visible()
    gone.click()
    expect(gone).to_have_attribute("aria-pressed", "false")
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("given back to the pool")).to_be_visible()
    expect(legend.get_by_role("button", name="Not looked at 50")).to_be_visible()

    # By keyboard: zoom in and out, take what is in view, send it to the queue.
    page.get_by_role("button", name="Remove the outline").click()
    expect(page).not_to_have_url(re.compile("outline="))
    zoom = page.get_by_role("button", name="Zoom in")
    zoom.focus()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Whole pool").press("Enter")
    page.get_by_role("button", name="Images in view").press("Enter")
    expect(page.get_by_role("heading", name="60 images inside the outline")).to_be_visible()
    select = page.get_by_role("button", name="Select all inside")
    select.press("Enter")
    page.get_by_role("button", name="Send to queue").press("Enter")
    page.get_by_role("dialog").get_by_role("button", name="Send to queue").press("Enter")
    expect(page.get_by_text("50 images sent to the head of the queue")).to_be_visible()

    # Images that come later are told of, and the map is made anew.
    extra = images(tmp_path / "more", 75)
    karat.wait(project.import_images(extra)["id"])
    page.goto(f"/projects/{project.id}/pool?view=map&colour=round")
    expect(page.get_by_label("Colour by")).to_have_value("round")
    expect(page.get_by_text(re.compile("came after the map was made"))).to_be_visible()
    expect(legend.get_by_role("button", name=re.compile("Round 0"))).to_be_visible()
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.get_by_role("img", name=re.compile("^Map of 75 images"))).to_be_visible(
        timeout=120_000
    )
    expect(page.get_by_text(re.compile("came after the map was made"))).to_have_count(0)
