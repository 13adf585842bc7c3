"""A session that ends while a page is open: the page stays, and what was typed in it."""

from playwright.sync_api import Page, expect

from karat.local.stack import Stack
from tests.stacks import admin_login


def test_what_was_typed_is_there_after_signing_in_again(signed_in: Page, stack: Stack) -> None:
    page = signed_in
    page.clock.install()
    page.goto("/projects/new")
    name = page.get_by_role("main").get_by_role("textbox").first
    name.fill("Waders of the north")
    page.context.clear_cookies()
    # Who comes back to the tab after a while is asked whether they are still signed in.
    page.clock.fast_forward("06:00")
    page.evaluate("window.dispatchEvent(new Event('visibilitychange'))")
    dialog = page.get_by_role("dialog", name="Sign in again")
    expect(dialog).to_be_visible()
    expect(name).to_have_value("Waders of the north")
    dialog.get_by_label("Password").fill(admin_login(stack)[1])
    dialog.get_by_role("button", name="Sign in").click()
    expect(dialog).to_have_count(0)
    expect(name).to_have_value("Waders of the north")
    assert page.url.endswith("/projects/new")


def test_who_signs_out_leaves_every_tab(home: Page) -> None:
    # A session of its own: that of the other tests goes on.
    other = home.context.new_page()
    other.goto("/projects/new")
    other.get_by_role("main").get_by_role("textbox").first.fill("Waders of the north")
    home.get_by_role("button", name="Account of").click()
    home.get_by_role("button", name="Sign out").click()
    for page in (home, other):
        page.wait_for_url("**/login*")
        page.get_by_label("Password").wait_for()
