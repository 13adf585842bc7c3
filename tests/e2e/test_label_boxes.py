"""Boxes are drawn, adjusted and sent; nothing is lost, whatever the network does."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from karat import Client
from karat.client.project import ProjectClient
from karat.local.stack import Stack
from tests.e2e.acts import come_up
from tests.e2e.boxes import Finger, Pointer, box_project, propose, stored, street
from tests.e2e.test_first_round import answer, query
from tests.processes import eventually
from tests.stacks import admin_login

IMAGES = 12
TAB = "5f0f5a0e-5a0a-4d55-8b6e-6f1f3f0f9d11"


@pytest.fixture
def project(karat: Client, tmp_path: Path) -> ProjectClient:
    pictures = street(tmp_path / "street", IMAGES)
    return box_project(karat, f"Street {tmp_path.name}", pictures)


def sent(page: Page, key: str) -> int:
    """Press a key and wait for the next image; returns the answered query."""
    return int(answer(page, key) or 0)


def test_boxes_are_drawn_adjusted_and_sent(
    signed_in: Page, stack: Stack, project: ProjectClient
) -> None:
    page = signed_in
    page.goto(f"/projects/{project.id}/label")
    page.locator("img[data-query-id]").wait_for()
    pointer = Pointer(page)
    chosen = page.get_by_role("img", name=re.compile(r"^Box \d+ of \d+"))

    # A key takes a class into the hand; inside another box a drag draws, too.
    pointer.drag((100, 100), (400, 380))
    page.keyboard.press("2")
    pointer.drag((200, 180), (260, 240))
    expect(chosen).to_have_accessible_name(re.compile("^Box 2 of 2: bicycle"))
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("Control+ArrowDown")
    page.keyboard.press("Shift+O")
    page.keyboard.press("Shift+A")
    page.get_by_role("dialog").get_by_label("Name").press_sequentially("age")
    page.keyboard.press("Tab")
    page.keyboard.type("Number")
    page.keyboard.press("Tab")
    page.keyboard.type("3")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Attributes").get_by_text("age")).to_be_visible()
    # Looking closely changes nothing.
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.mouse.wheel(0, -400)
    page.keyboard.press("Home")
    page.keyboard.press("Control+d")
    page.keyboard.press("Delete")
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+z")
    expect(page.get_by_role("button", name="Send 2 boxes")).to_be_visible()
    # Escape leaves the boxes: Tab goes on through the page, and back to them.
    for _ in range(4):
        page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    focused = page.locator("[role=application]:focus")
    expect(focused).to_have_count(0)
    expect(page.locator("button:focus")).to_have_count(1)
    page.keyboard.press("Shift+Tab")
    expect(focused).to_have_count(1)
    page.keyboard.press("Tab")
    expect(chosen).to_be_visible()
    first = sent(page, "Enter")

    # Never nothing by accident; "nothing in it" is a verdict of its own, and OOD another.
    page.keyboard.press("Enter")
    expect(page.get_by_role("status").filter(has_text="No boxes yet")).to_be_visible()
    none = sent(page, "Shift+N")
    ood = sent(page, "x")
    page.keyboard.press("Shift+R")
    expect(page.get_by_role("button", name="Send 2 boxes")).to_be_visible()

    # What was drawn and not sent is there after a reload; what was sent is sent once.
    place = query(page)
    page.wait_for_timeout(600)
    page.reload()
    page.locator("img[data-query-id]").wait_for()
    assert query(page) == place
    expect(page.get_by_role("button", name="Send 2 boxes")).to_be_visible()
    page.context.set_offline(True)
    repeated = sent(page, "Enter")
    unsent = page.get_by_role("status").filter(has_text=re.compile("waiting to be sent"))
    expect(unsent).to_contain_text("1 verdict")
    page.context.set_offline(False)
    page.evaluate("window.dispatchEvent(new Event('online'))")
    expect(unsent).to_have_count(0)

    # Back to the first one: a box less, and the others as they were.
    page.keyboard.press("ArrowLeft")
    for _ in range(3):
        page.keyboard.press("ArrowLeft")
    expect(page.get_by_text("You said: 2 boxes")).to_be_visible()
    page.keyboard.press("Tab")
    page.keyboard.press("Delete")
    assert sent(page, "Enter") == first

    eventually(lambda: len(stored(stack, project.id)) == 5, "everything has arrived")
    rows = stored(stack, project.id)
    assert [row[0] for row in rows] == [first, none, ood, repeated, first]
    assert [row[1] for row in rows][2] == "ood"
    assert rows[1][2]["boxes"] == []
    outer, inner = rows[0][2]["boxes"]
    assert (inner["occluded"], outer["occluded"]) == (True, False)
    assert (inner["attributes"], outer.get("attributes")) == ({"age": 3}, None)
    # "Boxes of the last image" have them as well.
    assert rows[3][2]["boxes"][1]["attributes"] == {"age": 3}
    for box, wanted in ((outer, (100, 100, 300, 280)), (inner, (210, 180, 60, 61))):
        assert [box[side] for side in "xywh"] == pytest.approx(wanted, abs=1.5)
    assert [box["w"] for box in rows[3][2]["boxes"]] == [outer["w"], inner["w"]]
    assert len(rows[4][2]["boxes"]) == 1
    assert rows[4][2]["boxes"][0] in ({**outer}, {**inner})
    assert rows[4][3] is not None

    # In the pool one wrong box is put right among the others, which stay as they are.
    boxes = {
        one["id"]: one["whole_label"]["boxes"]
        for one in project.pool.find({"state": "labeled"})
        if one["whole_label"]
    }
    image = next(id_ for id_, drawn in boxes.items() if len(drawn) == 2)
    page.goto(f"/projects/{project.id}/pool?image={image}")
    page.get_by_role("button", name="Edit boxes").click()
    page.locator("img[data-query-id]").wait_for()
    page.keyboard.press("3")
    pointer.drag((450, 40), (560, 140))
    page.keyboard.press("Enter")
    expect(page.get_by_text("Saved: 3 boxes")).to_be_visible()
    *others, added = project.pool.show(image)["whole_label"]["boxes"]
    assert others == boxes[image]
    assert added["x"] == pytest.approx(450, abs=1.5)


def test_suggestions_are_kept_adjusted_and_rejected_on_a_phone(
    signed_in: Page, stack: Stack, project: ProjectClient
) -> None:
    car, bicycle, _ = (one["id"] for one in project.get()["classes"])
    propose(stack, project.id, [
        {"class_id": car, "x": 40, "y": 40, "w": 120, "h": 90, "score": 0.9},
        {"class_id": bicycle, "x": 300, "y": 60, "w": 80, "h": 120, "score": 0.6},
        {"class_id": car, "x": 400, "y": 300, "w": 100, "h": 80, "score": 0.1},
    ])  # fmt: skip
    page = signed_in
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"/projects/{project.id}/label")
    page.locator("img[data-query-id]").wait_for()
    expect(page.get_by_text("2 undecided, 1 as dots")).to_be_visible()
    expect(page.get_by_role("button", name="Wrong kind of image")).to_be_in_viewport(ratio=1)
    come_up(page)
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    eventually(lambda: len(stored(stack, project.id)) == 1, "the boxes have arrived")
    label = stored(stack, project.id)[0][2]
    assert [(box["origin"], box["proposal"]) for box in label["boxes"]] == [
        ("kept", 0), ("adjusted", 1),
    ]  # fmt: skip
    assert label["threshold"] == 0.3
    # Keeping all of them and sending is one key.
    sent(page, "Shift+Enter")
    eventually(lambda: len(stored(stack, project.id)) == 2, "the second image has arrived")
    assert {box["origin"] for box in stored(stack, project.id)[1][2]["boxes"]} == {"kept"}


def test_a_finger_draws_adjusts_and_keeps(
    browser: Browser, stack: Stack, project: ProjectClient
) -> None:
    car, bicycle, _ = (one["id"] for one in project.get()["classes"])
    propose(stack, project.id, [
        {"class_id": bicycle, "x": 420, "y": 60, "w": 160, "h": 300, "score": 0.9},
    ])  # fmt: skip
    context = browser.new_context(
        viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True, base_url=stack.url
    )
    email, password = admin_login(stack)
    data = {"email": email, "password": password}
    context.request.post("/api/auth/login", data=data, headers={"Origin": stack.url})
    page = context.new_page()
    page.set_default_timeout(30_000)
    page.goto(f"/projects/{project.id}/label")
    page.locator("img[data-query-id]").wait_for()
    page.get_by_role("button", name="Help").tap()
    expect(page.get_by_role("dialog")).to_contain_text("One finger draws a box of the class")
    expect(page.get_by_role("dialog")).not_to_contain_text("Tap what it is")
    page.get_by_role("button", name="Close").tap()

    finger = Finger(page)
    finger.drag((60, 80), (260, 300))
    expect(page.get_by_role("button", name="Send 1 box")).to_be_visible()
    # By its corner.
    finger.drag((260, 300), (320, 400))
    # By the grip in its middle; two fingers enlarge the image, and change no box.
    finger.drag((190, 240), (210, 250))
    width = finger.place()["width"]
    finger.pinch((490, 240), 1.5)
    eventually(lambda: finger.place()["width"] > 1.3 * width, "the image is enlarged")
    finger.tap((500, 200))
    page.get_by_role("button", name="Keep", exact=True).tap()
    page.get_by_role("button", name="Send 2 boxes").tap()
    eventually(lambda: len(stored(stack, project.id)) == 1, "the boxes have arrived")
    drawn, kept = stored(stack, project.id)[0][2]["boxes"]
    assert [drawn[side] for side in "xywh"] == pytest.approx((80, 90, 260, 320), abs=6)
    assert (drawn["class_id"], kept["class_id"]) == (car, bicycle)
    assert (drawn["origin"], kept["origin"]) == ("drawn", "kept")
    context.close()


def test_panning_shows_what_painting_anew_does(
    signed_in: Page, karat: Client, project: ProjectClient
) -> None:
    path = f"/projects/{project.id}/labeling"
    [leased] = karat._transport.request("POST", f"{path}/lease", body={"n": 1, "client": TAB})[
        "items"
    ]
    car = project.get()["classes"][0]["id"]
    boxes = [
        {"class_id": car, "x": 5 + 21 * (one % 30), "y": 4 + 15.5 * (one // 30), "w": 17, "h": 11}
        for one in range(900)
    ]
    answer = {
        **{"key": TAB, "query_id": leased["query_id"], "verdict": "label", "seconds": 1},
        "label": {"type": "boxes", "boxes": boxes},
    }
    karat._transport.request("POST", f"{path}/answers", body={"answers": [answer]})
    karat._transport.request("POST", f"{path}/release", body={"client": TAB, "after_seconds": 0})

    page = signed_in
    page.goto(f"/projects/{project.id}/label")
    page.get_by_text("900 boxes").first.wait_for()
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_text("You said: 900 boxes")).to_be_visible()
    place = Pointer(page).place()
    x, y = place["x"] + place["width"] / 2, place["y"] + place["height"] / 2
    page.mouse.move(x, y)
    page.mouse.wheel(0, -150)
    page.wait_for_timeout(200)
    page.mouse.down(button="middle")
    for by in ((7, 3), (-4, 9), (-30, -21), (11, -2)):
        page.mouse.move(x + by[0], y + by[1])
        page.wait_for_timeout(60)
    page.mouse.up(button="middle")
    drawn = "document.querySelector('[role=application] canvas').toDataURL()"
    page.wait_for_timeout(100)
    pushed = page.evaluate(drawn)
    page.keyboard.down("`")
    page.wait_for_function(f"before => {drawn} !== before", arg=pushed)
    page.keyboard.up("`")
    page.wait_for_timeout(200)
    assert page.evaluate(drawn) == pushed
