"""A project of texts from its table to its third queue by keyboard, and a check of its labels."""

import csv
import re
from pathlib import Path
from typing import Final

from playwright.sync_api import Page, expect

from karat import Client
from tests.e2e.importing import confirm, saved
from tests.e2e.test_first_round import answer
from tests.processes import eventually
from tests.texts import CLASSES, mailbox

BUDGET: Final = 12
IMAGE: Final = re.compile(r"\b(images?|pictures?|photos?|pixels?)\b", re.IGNORECASE)
TEXTS, KINDS = mailbox(84)
_KEYS: Final = {"billing": "1", "shipping": "2", "ood": "x"}


def named(kind: int) -> str:
    return "ood" if kind < 0 else CLASSES[kind]


def table(path: Path) -> Path:
    """Texts without a label for the pool, and others with theirs to evaluate on."""
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("id", "subject", "mail", "label", "split"))
        for number, (text, kind) in enumerate(zip(TEXTS, KINDS, strict=True)):
            held_out = number >= 64 and kind >= 0
            label, split = (named(kind), "test") if held_out else ("", "train")
            writer.writerow((number, f"Mail no. {number}", text, label, split))
    return path


def test_a_table_of_texts_is_labeled_for_two_rounds_by_keyboard(
    home: Page, karat: Client, tmp_path: Path
) -> None:
    page = home
    page.get_by_role("link", name="New project").click()
    page.get_by_role("radio", name="Texts").check()
    page.get_by_label("Project name").fill("Mails")
    page.keyboard.press("Enter")
    page.get_by_label("Column with the texts").wait_for(state="attached")
    # The wrong column is noticed in the plan, and another one read without sending the file again.
    page.get_by_text("Before it is imported").click()
    page.get_by_label("Column with the texts").fill("email")
    page.get_by_label("Choose a file").set_input_files(table(tmp_path / "mails.csv"))
    expect(page.get_by_text("The file has no column 'email'")).to_be_visible(timeout=60_000)
    plans = page.get_by_role("list", name="Imports that wait for your answer")
    plans.get_by_label("Column with the texts").fill("mail")
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="Import mails.csv?")
    expect(dialog.get_by_text("no text for the pool has a label that is a class")).to_be_visible(
        timeout=60_000
    )
    expect(dialog).not_to_contain_text(" 0 labels")
    assert IMAGE.search(dialog.inner_text()) is None
    confirm(page, "mails.csv")
    expect(page.get_by_text("84 texts added")).to_be_visible(timeout=60_000)
    page.get_by_label("Budget per round").fill(str(BUDGET))
    saved(page)
    page.get_by_role("button", name="Start labeling").click()
    page.wait_for_url("**/label")

    kinds, project = dict(zip(TEXTS, KINDS, strict=True)), karat.project("Mails")
    judged: set[str] = set()
    # The next round's come by themselves, and those of the one after while models learn.
    while sum(one["state"] == "closed" for one in project.rounds()) < 2:
        text = page.locator("section[data-query-id]").inner_text(timeout=120_000)
        assert text not in judged
        judged.add(text)
        answer(page, _KEYS[named(int(kinds[text]))])
    assert len(judged) >= 2 * BUDGET
    page.goto(f"/projects/{project.id}/rounds/1")
    expect(
        page.get_by_text(
            re.compile(r"Told apart by (“(MiniLM|Hashed)[^”]*”|both kinds of features), ")
        )
    ).to_be_visible()
    assert IMAGE.search(page.locator("main").inner_text()) is None
    page.goto(f"/projects/{project.id}")
    rounds = page.get_by_role("group", name="Rounds")
    # What was answered early counts for the next, which may be closed by now as well.
    closed = rounds.get_by_role("row").filter(has_text="Closed")
    eventually(
        lambda: closed.count() == sum(one["state"] == "closed" for one in project.rounds()),
        "the page shows the rounds that are closed",
    )
    (accuracy,) = (one["accuracy"] for one in project.rounds() if one["number"] == 1)
    assert accuracy is not None
    assert accuracy > 0.6


def test_a_table_is_dropped_on_the_first_page_and_leads_to_its_doubtful_labels(
    home: Page, karat: Client, tmp_path: Path
) -> None:
    path = tmp_path / "tickets.csv"
    kinds = [int(kind) for kind in KINDS]
    inside = [number for number, kind in enumerate(kinds) if kind >= 0]
    wrong = set(inside[:3])
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("id", "body", "topic"))
        for number in inside:
            said = CLASSES[1 - kinds[number] if number in wrong else kinds[number]]
            writer.writerow((number, TEXTS[number], said))
    page = home
    zone = page.get_by_role("region", name="Drop images or texts here")
    zone.get_by_label("Choose a file").set_input_files(path)
    dialog = page.get_by_role("dialog", name="What is to be done with tickets.csv?")
    expect(dialog.get_by_label("Column with the texts")).to_have_value("body")
    expect(dialog.get_by_label("Column with the labels")).to_have_value("topic")
    assert IMAGE.search(dialog.inner_text()) is None
    dialog.get_by_role("button", name="Find the wrong labels").click()
    page.wait_for_url("**/jobs/*", timeout=120_000)
    expect(page.get_by_role("heading", name="What was found")).to_be_visible()
    assert IMAGE.search(page.locator("main").inner_text()) is None
    page.get_by_role("link", name=re.compile(r"Review \d+ doubtful labels")).click()
    region = page.locator("section[data-query-id]")
    assert region.inner_text() in {TEXTS[number] for number in wrong}
    (project,) = (one for one in karat.projects() if one["name"] == "tickets")
    assert (project["medium"], project["counts"]["pool"]) == ("text", len(inside))
