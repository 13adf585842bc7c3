"""What is done on a page before it is looked at."""

import io
import re
import zipfile
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.check_cases import labeled
from tests.e2e.seeded import ANNOTATOR


def asked(page: Page) -> None:
    """Wait for something to judge, which a tab that was left may have for some seconds."""
    page.locator("[data-query-id]").wait_for()


def tiles_come_up(page: Page) -> None:
    """Wait for images that stand side by side: no key says anything of one that is not there."""
    expect(page.locator("[aria-busy]:has(img)")).to_have_count(0)


def come_up(page: Page) -> None:
    """Wait until what is to be judged can be: what has not come up yet takes no verdict."""
    expect(page.locator('button[aria-keyshortcuts="q"]')).to_be_enabled()


def open_help(page: Page) -> None:
    """Show the keys."""
    asked(page)
    page.keyboard.press("h")
    page.get_by_role("dialog").wait_for()


def click(selector: str) -> Callable[[Page], None]:
    """An act that presses the first of these."""

    def act(page: Page) -> None:
        page.locator(selector).first.click()

    return act


def open_details(page: Page) -> None:
    """Unfold everything."""
    page.locator("main details").evaluate_all("all => all.forEach((one) => { one.open = true; })")


def drop_folder(page: Page) -> None:
    """Drop a labeled data set on the first page, and be asked what is to be done with it."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in labeled(4, 1).items():
            archive.writestr(name, content)
    page.locator("main input[type=file]:not([webkitdirectory])").set_input_files(
        {"name": "colours.zip", "mimeType": "application/zip", "buffer": stream.getvalue()}
    )
    page.get_by_role("dialog").wait_for()


def compare_snapshots(page: Page) -> None:
    """Ask what has changed since an earlier snapshot."""
    card = page.locator("#snapshots")
    card.locator("summary").click()
    # After the one that copies its fingerprint.
    card.locator("li").first.locator("button").nth(1).click()
    page.get_by_role("dialog").wait_for()


def add_second_factor(page: Page) -> None:
    """Give the password, and be shown what the phone has to see."""
    page.get_by_role("button", name=re.compile("Add a second factor|2단계")).click()
    dialog = page.get_by_role("dialog")
    dialog.locator("input[type=password]").fill(ANNOTATOR[1])
    page.keyboard.press("Enter")
    dialog.get_by_role("img").wait_for()
