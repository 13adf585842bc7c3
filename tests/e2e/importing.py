"""Importing in the browser: what is dropped is shown before it is stored."""

from pathlib import Path

from playwright.sync_api import Page, expect


def confirm(page: Page, name: str) -> None:
    """Start the import that is shown, as it is proposed."""
    dialog = page.get_by_role("dialog", name=f"Import {name}?")
    dialog.get_by_role("button", name="Import", exact=True).click(timeout=60_000)
    dialog.wait_for(state="detached")


def send(page: Page, file: Path) -> None:
    """Choose a zip or a Parquet file, and take what is proposed."""
    page.get_by_label("Choose a file").set_input_files(file)
    confirm(page, file.name)


def saved(page: Page) -> None:
    """Wait until a draft has saved itself."""
    expect(page.get_by_text("Everything here is saved.")).to_be_visible()
