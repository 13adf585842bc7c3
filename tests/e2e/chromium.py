"""The system's Chromium."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    expect,
    sync_playwright,
)

ARGUMENTS: Final = (
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
# What is expected comes late on a busy machine; the default is 5 seconds.
expect.set_options(timeout=30_000)


@contextmanager
def launched() -> Iterator[Browser]:
    """Start it, and end it with the event loop that it keeps running in this thread.

    The headless shell, where it is installed: the same engine without the windows of a browser,
    each of which is a page that has to be made as well. A context that is closed in it is gone at
    once, as in a crash: pages that are to say goodbye have to be left first.

    Raises:
        FileNotFoundError: It is not installed.
    """
    names = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
    executable = next((found for name in names if (found := shutil.which(name))), None)
    if executable is None:
        raise FileNotFoundError("Chromium is needed; on Debian: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=ARGUMENTS)
        yield browser
        browser.close()


def complaints(page: Page) -> list[str]:
    """Script errors of a page, and what its content security policy refuses; grows as they come."""
    found: list[str] = []

    def heard(message: ConsoleMessage) -> None:
        if "Content Security Policy" in message.text:
            found.append(message.text)

    page.on("pageerror", lambda error: found.append(str(error)))
    page.on("console", heard)
    return found


def sign_in(browser: Browser, url: str, login: tuple[str, str] | None) -> BrowserContext:
    """A browser profile of one person, or of a stranger."""
    context = browser.new_context(base_url=url, reduced_motion="reduce", locale="en-US")
    context.set_default_timeout(30_000)
    if login:
        log_in(context, url, login)
    return context


def log_in(context: BrowserContext, url: str, login: tuple[str, str]) -> None:
    """Sign a browser profile in without its pages: in two of them it would have to be typed."""
    email, password = login
    data = {"email": email, "password": password}
    answer = context.request.post("/api/auth/login", data=data, headers={"Origin": url})
    assert answer.ok, answer.text()
