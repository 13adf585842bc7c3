"""Preference data is shown as what it is before anything is stored, and its rankings are there."""

import json
from pathlib import Path

from playwright.sync_api import Page, expect

from karat import Client

LINES = [
    {"prompt": "What is one plus one?", "chosen": "Two.", "rejected": "Three."},
    {"prompt": "What is two plus two?", "chosen": "Four.", "rejected": "Five."},
    {"prompt": "What is three plus three?", "chosen": "Six.", "rejected": ""},
]


def test_preference_data_comes_in_ranked(signed_in: Page, karat: Client, tmp_path: Path) -> None:
    page = signed_in
    project = karat.create_project("Preferences", [], medium="text", task="instructions")
    file = tmp_path / "pairs.jsonl"
    file.write_text("".join(json.dumps(one) + "\n" for one in LINES))
    page.goto(f"/projects/{project.id}/settings")
    page.get_by_label("Choose a file").set_input_files(file)
    dialog = page.get_by_role("dialog", name="Import pairs.jsonl?")
    expect(dialog.get_by_role("status")).to_have_text("4 pool, 1 refused", timeout=60_000)
    expect(dialog.get_by_text("Each answer becomes a row of its own.")).to_be_visible()
    how = dialog.get_by_text("Answers in chosen are better than those in rejected.")
    expect(how).to_be_visible()
    dialog.get_by_role("button", name="Import", exact=True).click()
    page.get_by_text("2 rankings came in as labels.").wait_for(timeout=60_000)
    page.goto(f"/projects/{project.id}/pool")
    state = page.get_by_label("State", exact=True)
    expect(state.get_by_role("option", name="Ranked by people")).to_have_count(1)
    assert [one["state"] for one in project.rounds()] == ["closed"]
    page.goto(f"/projects/{project.id}")
    expect(page.get_by_text("Ranked by people").first).to_be_visible()
