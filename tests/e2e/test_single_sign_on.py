"""Signing in at a provider on another site, and with a second factor, in a real browser."""

import time
from collections.abc import Callable, Iterator

import pytest
from fastapi import FastAPI
from playwright.sync_api import Browser, Page, expect
from pydantic import SecretStr

from api.middleware.connections import Limits
from api.second_factor import totp
from core.settings import Settings
from core.states import Role
from core.tables import User
from tests.e2e.chromium import complaints, sign_in
from tests.passwords import hashed
from tests.provider import CLIENT, SECRET, Provider, person, provider_running
from tests.security.serving import serving
from tests.world import World

EMAIL, PASSWORD = "ada@example.org", "a long password"


@pytest.fixture
def provider() -> Iterator[Provider]:
    with provider_running() as found:
        found.people |= {"ann": person("ann", "engineers"), "bea": person("bea")}
        yield found


@pytest.fixture
def page(
    browser: Browser,
    installation: Settings,
    application: Callable[[Settings], FastAPI],
    provider: Provider,
) -> Iterator[Page]:
    """A browser on an installation with single sign-on."""
    app = application(installation)
    app.state.settings = installation.model_copy(
        update={
            "oidc_issuer": provider.url,
            "oidc_client_id": CLIENT,
            "oidc_client_secret": SecretStr(SECRET),
            "oidc_name": "Acme",
            "oidc_roles": "engineers=engineer",
            "oidc_default_role": "none",
        }
    )
    with serving(app, Limits()) as url:
        context = sign_in(browser, url, None)
        found = context.new_page()
        errors = complaints(found)
        yield found
        context.close()
    assert errors == []


def choose(page: Page, name: str) -> None:
    page.get_by_role("link", name="Sign in with Acme").click()
    page.get_by_role("heading", name="Who are you?").wait_for()
    page.get_by_role("button", name=name, exact=True).click()


def test_one_signs_in_elsewhere_comes_back_to_the_page_and_signs_out_of_both(
    page: Page, provider: Provider
) -> None:
    page.goto("/account")
    choose(page, "bea")
    expect(page.get_by_role("alert")).to_contain_text("no group that may use Karat")
    # The page that one wanted is not forgotten.
    choose(page, "ann")
    page.get_by_role("heading", name="Account").wait_for()
    expect(page.get_by_text("You signed in by single sign-on;")).to_be_visible()
    sessions = page.get_by_role("region", name="Where you are signed in")
    expect(sessions.get_by_role("row").filter(has_text="Chrome on")).to_contain_text("This browser")
    expect(page.get_by_role("button", name="Change password")).to_have_count(0)
    page.get_by_role("button", name="Account of Ann").click()
    page.get_by_role("button", name="Sign out", exact=True).click()
    page.get_by_role("link", name="Sign in with Acme").wait_for()
    assert [set(one) for one in provider.ended] == [
        {"client_id", "id_token_hint", "post_logout_redirect_uri"}
    ]


def test_a_second_factor_is_added_and_asked_for(page: Page, world: World) -> None:
    world.session.add(
        User(email=EMAIL, name="Ada", role=Role.ANNOTATOR, password_hash=hashed(PASSWORD),
             active=True, second_factor_required=True)
    )  # fmt: skip
    world.session.commit()
    page.goto("/")
    page.get_by_label("Email").fill(EMAIL)
    page.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")
    # Nothing else opens before.
    page.get_by_role("heading", name="Add a second factor").wait_for()
    page.get_by_label("Present password").fill(PASSWORD)
    page.get_by_role("button", name="Begin").click()
    page.get_by_role("img", name="QR code for an authenticator app").wait_for()
    key = page.get_by_text("Or type this key into it").inner_text().partition(":")[2]
    secret = key.replace(" ", "")
    page.get_by_label("The code that the app shows now").fill("000000")
    page.get_by_role("button", name="Turn on").click()
    expect(page.get_by_text("This is not the code that the app shows now.")).to_be_visible()
    now = int(time.time()) // totp.STEP
    page.get_by_label("The code that the app shows now").fill(totp.code_at(secret, now))
    page.get_by_role("button", name="Turn on").click()
    page.get_by_text("Your recovery codes").wait_for()
    recovery = page.get_by_role("listitem").first.inner_text()
    page.get_by_role("button", name="I have kept them").click()
    page.get_by_role("heading", name="Projects", exact=True).wait_for()

    page.context.clear_cookies()
    page.goto("/account")
    page.get_by_label("Email").fill(EMAIL)
    page.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="One more step").wait_for()
    page.get_by_label("Code").fill("123456")
    page.keyboard.press("Enter")
    expect(page.get_by_text("This code is wrong")).to_be_visible()
    page.get_by_label("Code").fill(recovery)
    page.keyboard.press("Enter")
    factor = page.get_by_role("region", name="Second factor")
    expect(factor).to_contain_text("9 recovery codes left")
