"""What the policy of pages is there to stop; every other test watches that pages keep it."""

from playwright.sync_api import Page, expect

from tests.e2e.chromium import complaints


def test_the_reference_of_the_api_keeps_its_policy(signed_in: Page) -> None:
    signed_in.goto("/api/docs")
    expect(signed_in.locator("#swagger-ui .opblock").first).to_be_visible(timeout=60_000)


def test_a_script_that_somebody_got_into_a_page_does_not_run(signed_in: Page) -> None:
    page = signed_in.context.new_page()
    refused = complaints(page)
    page.add_init_script(
        "document.addEventListener('securitypolicyviolation', () => { window.__refused = true; });"
    )
    page.goto("/")
    page.evaluate(
        """() => {
            const script = document.createElement("script");
            script.textContent = "window.__ran = true";
            document.body.append(script);
            const image = document.createElement("div");
            image.innerHTML = '<img src="x" onerror="window.__ran = true">';
            document.body.append(image);
        }"""
    )
    page.wait_for_function("window.__refused")
    assert not page.evaluate("window.__ran === true")
    # As every other test would notice it.
    assert refused
