"""Groups of rows are ranked by keys, by hand and by fingers; nothing is ever lost."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect

from karat import Client
from karat.client.labeling_types import Answer
from karat.client.project import ProjectClient
from karat.local.stack import Stack
from tests.e2e.acts import come_up
from tests.e2e.chromium import sign_in
from tests.e2e.rankings import (
    Label,
    annotator,
    ask,
    held,
    label,
    ranking_project,
    row,
    shown,
    stored,
)
from tests.e2e.test_first_round import answer, query
from tests.processes import eventually
from tests.stacks import admin_login

GROUPS: Final = 50
ROWS: Final = 3
CUT: Final = range(20, 30)
RELOADED_AT: Final = 40
PHONE: Final[ViewportSize] = {"width": 390, "height": 844}

_WAYS: Final[list[tuple[str, Callable[[list[int]], Label]]]] = [
    ("312", lambda ids: label([[ids[2]], [ids[0]], [ids[1]]])),
    # What is left alone comes last.
    ("23", lambda ids: label([[ids[1]], [ids[2]], [ids[0]]])),
    ("12t3", lambda ids: label([[ids[0], ids[1]], [ids[2]]])),
    ("x213", lambda ids: label([[ids[0]], [ids[2]]], [ids[1]])),
    # The same key again takes it back.
    ("1223", lambda ids: label([[ids[0]], [ids[2]], [ids[1]]])),
]


@pytest.fixture
def project(karat: Client, tmp_path: Path) -> ProjectClient:
    rows = [row(group, place) for group in range(GROUPS) for place in range(ROWS)]
    return ranking_project(karat, f"Sums {tmp_path.name}", tmp_path, rows)


def rank(page: Page, keys: str) -> list[int]:
    """Press keys, which do not send; returns the rows that they are about."""
    come_up(page)
    ids = shown(page)
    for key in keys:
        page.keyboard.press(key)
    return ids


def test_fifty_groups_are_ranked_by_keys_with_the_network_cut_in_between(
    signed_in: Page, stack: Stack, project: ProjectClient
) -> None:
    ask(stack, project, [ROWS] * GROUPS)
    page = signed_in
    page.goto(f"/projects/{project.id}/label")
    page.locator("[data-query-id]").wait_for()
    unsent = page.get_by_role("status").filter(has_text=re.compile("waiting to be sent"))
    given: dict[int, Label] = {}
    for number in range(GROUPS):
        if number == CUT.start:
            eventually(lambda: len(stored(stack, project.id)) == CUT.start, "all have arrived")
            page.context.set_offline(True)
        if number == CUT.stop:
            expect(unsent).to_contain_text(f"{len(CUT)} verdicts")
            page.context.set_offline(False)
            page.evaluate("window.dispatchEvent(new Event('online'))")
            expect(unsent).to_have_count(0)
        keys, of = _WAYS[number % len(_WAYS)]
        if number == RELOADED_AT:
            # Half a ranking is there again.
            rank(page, keys[0])
            place = query(page)
            page.reload()
            page.locator("[data-query-id]").wait_for()
            assert query(page) == place
            expect(page.locator('[data-state="ranked"]')).to_have_count(1)
            keys = keys[1:]
        ids = rank(page, keys)
        sent = answer(page, "Enter")
        given[int(sent or 0)] = of(ids)
    assert len(given) == GROUPS
    eventually(lambda: len(stored(stack, project.id)) == GROUPS, "everything has arrived")
    rows = stored(stack, project.id)
    assert {one[0]: one[2] for one in rows} == given
    assert all(one[1] == "label" and one[3] is None for one in rows)

    # The round has closed. Back to one of the last, which is as it was, and is put right.
    eventually(lambda: project.rounds()[0]["state"] == "closed", "the round closes")
    strip = page.get_by_role("navigation", name="Your last verdicts")
    strip.get_by_role("button").nth(6).click()
    page.locator("[data-query-id]").wait_for()
    expect(page.get_by_text("You said: 3 in order")).to_be_visible()
    back = int(query(page) or 0)
    ids = rank(page, "x1")
    page.keyboard.press("Enter")
    eventually(lambda: len(stored(stack, project.id)) == GROUPS + 1, "the correction arrives")
    last = stored(stack, project.id)[-1]
    assert (last[0], last[1]) == (back, "label")
    assert last[2] == label(
        [
            [one for one in place if one != ids[0]]
            for place in given[back]["order"]
            if place != [ids[0]]
        ],
        [*(one for one in given[back]["wrong"] if one != ids[0]), ids[0]],
    )
    assert last[3] is not None
    # It counts, and the others of the group have it as well.
    assert project.rounds()[0]["state"] == "closed"
    assert all(held(stack, one) == last[2] for one in ids)


def test_a_reviewer_decides_between_two_orders(
    signed_in: Page, karat: Client, stack: Stack, tmp_path: Path
) -> None:
    rows = [row(group, place) for group in range(2) for place in range(ROWS)]
    project = ranking_project(karat, f"Two minds {tmp_path.name}", tmp_path, rows, overlap=2)
    ask(stack, project, [ROWS] * 2)
    said: dict[int, list[Label]] = {}
    for name in ("Ann", "Ben"):
        with annotator(karat, project, name) as client:
            mine = client.project(project.id)
            for item in mine.lease(2)["items"]:
                ids = sorted(one["example_id"] for one in item["members"] or [])
                order = label([[one] for one in (ids if name == "Ann" else ids[::-1])])
                answer: Answer = {
                    "query_id": item["query_id"],
                    "verdict": "label",
                    "label": order,
                    "seconds": 2.0,
                }
                mine.answer([answer])
                said.setdefault(ids[0], []).append(order)
    eventually(lambda: project.rounds()[0]["state"] == "closed", "the round closes")

    page = signed_in
    page.goto(f"/projects/{project.id}/review/disagreements")
    sides = page.get_by_role("group", name="Decisions").get_by_role("button")
    page.locator("[data-query-id]").wait_for()
    expect(sides).to_have_count(2)
    shown_first = shown(page)
    page.keyboard.press("ArrowRight")
    page.locator(f'[data-example="{shown_first[0]}"]').wait_for(state="detached")
    # Neither of the two: an order of their own, by the numbers, with one that is wrong.
    ids = shown(page)
    for key in "2x31":
        page.keyboard.press(key)
    page.keyboard.press("Enter")
    expect(page.get_by_text("All decided")).to_be_visible()

    own = label([[ids[1]], [ids[0]]], [ids[2]])
    eventually(lambda: held(stack, ids[1]) == own, "the third order counts")
    first = min(shown_first)
    assert held(stack, first) in said[first]
    assert {str(held(stack, one)) for one in shown_first} == {str(held(stack, first))}

    # Back, and the other of the two; on a phone as well.
    page.set_viewport_size(PHONE)
    page.keyboard.press("u")
    page.keyboard.press("u")
    page.locator(f'[data-example="{shown_first[0]}"]').wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    before = held(stack, first)
    page.keyboard.press("ArrowLeft")
    eventually(lambda: held(stack, first) != before, "the other order counts")
    assert held(stack, first) in said[first]


def test_rows_are_ranked_by_hand_and_by_fingers(
    browser: Browser, stack: Stack, project: ProjectClient
) -> None:
    ask(stack, project, [ROWS, ROWS, ROWS, 10])
    context = sign_in(browser, stack.url, admin_login(stack))
    page = context.new_page()
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(f"/projects/{project.id}/label")
    page.locator("[data-query-id]").wait_for()
    ids = shown(page)
    heads = page.locator("[data-example] > header")
    order = page.get_by_role("region", name="Your order")
    heads.nth(1).drag_to(order.locator("ol"))
    heads.nth(0).drag_to(order.locator("ol > li").first, target_position={"x": 60, "y": 2})
    heads.nth(2).drag_to(order.get_by_text("Wrong", exact=True))
    expect(page.get_by_text("All have their place")).to_be_visible()
    # The arrows of the list, and a step back.
    order.get_by_role("button", name="Example 1: worse").click()
    page.keyboard.press("Control+z")
    by_hand = answer(page, "Enter")

    # Nothing is sent by accident; none of it belongs here, unsure and skip are said by one key.
    page.keyboard.press("Enter")
    expect(page.get_by_text("Nothing is in order yet")).to_be_visible()
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    expect(page.get_by_text("2 have no place yet")).to_be_visible()
    none = answer(page, "n")
    eventually(lambda: len(stored(stack, project.id)) == 2, "both have arrived")
    # Leaving gives back what was on the screen.
    page.goto("about:blank")
    context.close()
    first, second = stored(stack, project.id)
    assert first[:3] == (int(by_hand or 0), "label", label([[ids[0]], [ids[1]]], [ids[2]]))
    assert (second[0], second[1]) == (int(none or 0), "ood")

    context = browser.new_context(
        base_url=stack.url, viewport=PHONE, has_touch=True, is_mobile=True, reduced_motion="reduce"
    )
    email, password = admin_login(stack)
    data = {"email": email, "password": password}
    context.request.post("/api/auth/login", data=data, headers={"Origin": stack.url})
    page = context.new_page()
    page.goto(f"/projects/{project.id}/label")
    page.locator("[data-query-id]").wait_for()
    ids = shown(page)
    cards = page.locator("[data-example]")
    for number in (2, 0):
        cards.nth(number).tap()
    cards.nth(1).get_by_role("button", name="Example 2 is wrong or harmful").tap()
    page.get_by_role("button", name="Tie").tap()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.get_by_role("button", name="Send the order").tap()
    eventually(lambda: len(stored(stack, project.id)) == 3, "what was tapped has arrived")
    assert stored(stack, project.id)[2][2] == label([[ids[2], ids[0]]], [ids[1]])

    # More than there is room for: the cards scroll, and the page does not, into nothing.
    expect(cards).to_have_count(10)
    assert page.evaluate("document.scrollingElement.scrollHeight <= innerHeight")
    assert page.evaluate("document.querySelector('[data-query-id]').scrollHeight > innerHeight")
    context.close()
