"""Texts are read, judged one by one and as cards, found by their words, and reviewed."""

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Locator, Page, ViewportSize, expect

from karat import Client
from karat.client.project import ProjectClient
from tests.e2e.test_first_round import query
from tests.e2e.texts import CODE, HEBREW, LONG
from tests.processes import eventually

LETTERS = {
    "long": [f"Letter {number}. {LONG}" for number in range(4)],
    "code": [CODE],
    "hebrew": [HEBREW],
    "link": ["See https://example.org/?a=b&c=<script>alert(1)</script> and   mind\n\n\tthe gaps."],
}
IMAGE = re.compile(r"\b(image|picture|photo|pixel)s?\b|이미지|사진|픽셀", re.IGNORECASE)
PHONE: Final[ViewportSize] = {"width": 390, "height": 844}
DESK: Final[ViewportSize] = {"width": 1440, "height": 900}


def texts(
    karat: Client, folder: Path, contents: Sequence[str], *, start: bool = True
) -> ProjectClient:
    """A project of texts; where it is started, its first round asks about all of them."""
    settings = {"budget": len(contents), "strategy": {"name": "random"}}
    project = karat.create_project(
        f"Letters {folder.name}",
        ["Complaint", "Question"],
        medium="text",
        settings=settings | {"model": {"name": "hashed_ngrams"}},
    )
    table = folder / "letters.jsonl"
    table.write_text("".join(json.dumps({"text": text}) + "\n" for text in contents))
    karat.wait(project.import_images(table)["id"])
    if start:
        project.start()
        eventually(lambda: project.rounds()[0]["state"] == "open", "the first round opens")
    return project


@pytest.fixture
def letters(karat: Client, tmp_path: Path) -> ProjectClient:
    return texts(karat, tmp_path, [text for kind in LETTERS.values() for text in kind])


def read_by(page: Page) -> Iterator[tuple[str, Locator]]:
    """Each text of the queue as it is shown, with what kind it is; judged by a click after that."""
    region = page.locator("section[data-query-id]")
    for _ in range(sum(map(len, LETTERS.values()))):
        shown = region.inner_text(timeout=30_000)
        [kind] = (name for name, found in LETTERS.items() if shown in found)
        yield kind, region
        before = query(page)
        verdicts = page.get_by_role("group", name="Verdict")
        verdicts.get_by_role("button", name="Complaint").click()
        expect(page.locator(f'[data-query-id="{before}"]')).to_have_count(0)


def top_of(region: Locator) -> float:
    return float(region.evaluate("region => region.scrollTop"))


def lines_of(region: Locator) -> float:
    """How many characters a line of text has room for."""
    return float(
        region.evaluate(
            """region => {
                const text = region.firstElementChild;
                const ruler = document.createElement("span");
                ruler.style.cssText = "position: absolute; width: 1ch";
                text.append(ruler);
                const ch = ruler.getBoundingClientRect().width;
                ruler.remove();
                return text.getBoundingClientRect().width / ch;
            }"""
        )
    )


def answers(project: ProjectClient) -> int:
    return sum(1 for one in project.examples() if one["state"] != "queried")


def test_texts_are_read_one_by_one_and_no_key_of_reading_is_a_verdict(
    signed_in: Page, letters: ProjectClient
) -> None:
    page = signed_in
    page.goto(f"/projects/{letters.id}/label")
    number = 0
    for number, (kind, region) in enumerate(read_by(page)):
        page.set_viewport_size(PHONE if number % 2 else DESK)
        shown = query(page)
        # The verdict before was a click: its button still has the focus, which space is not for.
        assert top_of(region) == 0
        for key in ("Space", "PageDown", "ArrowDown"):
            before = top_of(region)
            page.keyboard.press(key)
            if kind == "long":
                assert top_of(region) > before
        if kind == "long":
            page.keyboard.press("Shift+Space")
            page.keyboard.press("End")
            expect(page.get_by_role("button", name="More below")).to_have_count(0)
            page.keyboard.press("Home")
            assert top_of(region) == 0
            page.get_by_role("button", name="More below").click()
            assert top_of(region) > 0
        assert query(page) == shown
        assert lines_of(region) <= 70.5
        assert page.evaluate("document.documentElement.scrollWidth") <= page.evaluate("innerWidth")
        # As it was written, and nothing but text.
        assert region.locator("a, script").count() == 0
        inner = region.locator("div").first
        font, direction = (
            inner.evaluate(f"text => getComputedStyle(text).{name}")
            for name in ("fontFamily", "direction")
        )
        assert ("monospace" in font) == (kind == "code")
        assert direction == ("rtl" if kind == "hebrew" else "ltr")
        assert IMAGE.search(page.locator("main").inner_text()) is None
    assert number == 6
    eventually(lambda: answers(letters) == 7, "every click has arrived, and no key")


def test_letters_grow_by_key_and_are_remembered(signed_in: Page, letters: ProjectClient) -> None:
    page = signed_in
    page.goto(f"/projects/{letters.id}/label")
    text = page.locator("section[data-query-id] > div")
    size = text.evaluate("text => parseFloat(getComputedStyle(text).fontSize)", timeout=30_000)
    page.keyboard.press("+")
    page.keyboard.press("z")
    expect(page.get_by_role("button", name="115 %")).to_be_visible()
    page.reload()
    assert "monospace" in text.evaluate("text => getComputedStyle(text).fontFamily")
    page.keyboard.press("z")
    page.keyboard.press("h")
    expect(page.get_by_role("dialog", name="Keys")).to_contain_text("Read on; with Shift back")
    assert IMAGE.search(page.get_by_role("dialog").inner_text()) is None
    page.keyboard.press("h")
    larger = text.evaluate("text => parseFloat(getComputedStyle(text).fontSize)")
    assert larger == pytest.approx(1.15 * size)


def test_texts_are_judged_as_cards(signed_in: Page, letters: ProjectClient) -> None:
    page = signed_in
    page.goto(f"/projects/{letters.id}/label/grid")
    cards = page.get_by_role("option")
    expect(cards).to_have_count(7, timeout=30_000)
    for window in (PHONE, DESK):
        page.set_viewport_size(window)
        heights = cards.evaluate_all("all => all.map((one) => one.offsetHeight)")
        assert len(set(heights)) == 1
        assert page.evaluate("document.documentElement.scrollWidth") <= page.evaluate("innerWidth")
    assert IMAGE.search(page.locator("main").inner_text()) is None
    # The whole text over the cards: the keys that move a text move it, and not the choice.
    long = cards.filter(has_text="Letter 0.")
    long.click()
    page.keyboard.press("z")
    reading = page.get_by_role("button", name="Close", exact=False).locator("..")
    sheet = reading.locator("div").first
    page.keyboard.press("PageDown")
    assert top_of(sheet) > 0
    page.keyboard.press("Escape")
    expect(sheet).to_have_count(0)
    expect(long).to_have_attribute("aria-selected", "true")
    page.keyboard.press("1")
    expect(long).to_contain_text("Complaint")
    # On touch screens as well.
    page.set_viewport_size(PHONE)
    cards.filter(has_text="Letter 1.").click()
    page.get_by_role("button", name="None of the classes").click()
    expect(cards.filter(has_text="Letter 1.")).to_contain_text("None")
    eventually(lambda: answers(letters) == 2, "both verdicts arrive")


def test_texts_are_found_by_their_words(signed_in: Page, karat: Client, tmp_path: Path) -> None:
    page = signed_in
    contents = ["The invoice of May was late", "Late parcel, late again", LONG, HEBREW, CODE]
    project = texts(karat, tmp_path, contents, start=False)
    page.goto(f"/projects/{project.id}/pool")
    found = page.get_by_role("listbox", name="Texts").get_by_role("option")
    expect(found).to_have_count(5)
    page.keyboard.press("/")
    page.keyboard.type("late")
    expect(found).to_have_count(2)
    expect(found.locator("mark")).to_have_text(["late", "Late", "late"])
    assert page.url.endswith("?search=late")
    page.reload()
    expect(found).to_have_count(2)
    search = page.get_by_role("searchbox", name="Words in the texts")
    # How a word begins finds it, and what was found is marked.
    search.fill("invo")
    expect(found.locator("mark")).to_have_text(["invoice"])
    search.fill('"late again" or harbour')
    expect(found).to_have_count(2)
    # The word is far down: the text is opened at it.
    search.fill("harbour")
    expect(found).to_have_count(1)
    found.first.click()
    panel = page.get_by_role("complementary", name="Text")
    expect(panel.locator("mark").first).to_be_in_viewport()
    page.keyboard.press("Escape")
    search.fill("nowhere")
    nothing = page.get_by_role("heading", name="No text of this split has all of these words")
    expect(nothing).to_be_visible()
    assert IMAGE.search(page.locator("main").inner_text()) is None
    page.set_viewport_size(PHONE)
    page.get_by_role("button", name="Clear the search").click()
    expect(found).to_have_count(5)


def test_contradicting_labels_of_texts_are_reviewed(
    signed_in: Page, karat: Client, tmp_path: Path
) -> None:
    page = signed_in
    project = karat.create_project("Two readers", ["Complaint", "Question"], medium="text")
    table = tmp_path / "read.jsonl"
    table.write_text(
        "".join(
            json.dumps({"text": text, "ada": "Complaint", "ben": "Question"}) + "\n"
            for text in (LONG, HEBREW)
        )
    )
    karat.wait(project.import_images(table, annotation_columns=("ada", "ben"))["id"])
    page.goto(f"/projects/{project.id}/review/disagreements")
    region = page.locator("section[data-query-id]")
    expect(region).to_be_visible(timeout=30_000)
    assert IMAGE.search(page.locator("main").inner_text()) is None
    for _ in range(2):
        shown = query(page)
        page.keyboard.press("Space")
        assert query(page) == shown
        page.keyboard.press("1")
        expect(page.locator(f'[data-query-id="{shown}"]')).to_have_count(0)
    eventually(lambda: project.disagreements().get()["open"] == 0, "both decisions arrive")
    assert {one["label"] for one in project.examples()} == {"Complaint"}
