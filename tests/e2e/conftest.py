"""A whole installation and a real Chromium."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from karat import Client
from karat.local.stack import Stack
from tests.e2e.chromium import complaints, launched, log_in
from tests.e2e.tried_again import make_way
from tests.stacks import admin_login, ease_logins, installed


# Of the folder, not of the session: it keeps an event loop running in this thread, in which a later
# test of the same process could start none.
@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """The system's Chromium."""
    with launched() as found:
        yield found


# Of the folder: it would go on looking for work until the process has done all others.
@pytest.fixture(scope="package")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """``karat up``: database, broker, API, workers, scheduler."""
    judges = {"KARAT_JUDGE_ALLOW": "127.0.0.1"}
    with installed(tmp_path_factory.mktemp("stack") / "data", environment=judges) as running:
        ease_logins(running)
        yield running


# Of a module: each login takes a password's hash, which is slow on purpose.
@pytest.fixture(scope="module")
def karat(stack: Stack) -> Iterator[Client]:
    """The Python client, as the admin uses it."""
    with Client(stack.url) as client:
        client.login(*admin_login(stack))
        yield client


@pytest.fixture(autouse=True)
def own_names(request: pytest.FixtureRequest) -> None:
    """What a failed try has left is not in the way of the next."""
    make_way(request)


@pytest.fixture
def page(browser: Browser, stack: Stack) -> Iterator[Page]:
    """A fresh browser profile; the test fails on script errors and on what the policy refuses."""
    context = browser.new_context(
        viewport={"width": 1440, "height": 900}, base_url=stack.url, reduced_motion="reduce"
    )
    found = context.new_page()
    errors = complaints(found)
    found.set_default_timeout(30_000)
    yield found
    context.close()
    assert errors == []


@pytest.fixture(scope="package")
def cookies() -> list[Any]:
    """The admin's, once there has been a login: each takes a password's hash as well."""
    return []


@pytest.fixture
def signed_in(page: Page, stack: Stack, cookies: list[Any]) -> Page:
    """A page of the admin, who has gone nowhere yet."""
    if cookies:
        page.context.add_cookies(cookies)
    else:
        log_in(page.context, stack.url, admin_login(stack))
        cookies.extend(page.context.cookies())
    return page


@pytest.fixture
def home(page: Page, stack: Stack) -> Page:
    """The first page of the admin, who has typed the password."""
    email, password = admin_login(stack)
    page.goto("/")
    page.get_by_label("Email").fill(email)
    page.get_by_label("Password").fill(password)
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Projects", exact=True).wait_for()
    return page
