"""The pages keep within the policy that they are served with."""

from playwright.sync_api import Page, expect

from karat.stack import Stack

_WATCH = """
window.__refused = [];
document.addEventListener("securitypolicyviolation", (event) =>
  window.__refused.push(`${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}`));
"""


def test_no_page_does_what_its_policy_forbids(signed_in: Page, stack: Stack) -> None:
    page = signed_in
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.add_init_script(_WATCH)
    made = page.request.post(
        "/api/projects",
        data={"name": "Policy", "classes": [{"name": "cat"}, {"name": "dog"}]},
        headers={"Origin": stack.url},
    )
    assert made.ok, made.text()
    project = f"/projects/{made.json()['id']}"
    refused: list[str] = []
    for path in (
        "/", "/account", "/admin/users", "/admin/workers", "/algorithms/strategy/mqnet", project,
        f"{project}/label", f"{project}/label/grid", f"{project}/pool", f"{project}/jobs",
        f"{project}/settings", "/admin/audit",
    ):  # fmt: skip
        page.goto(path)
        expect(page.locator("main").first).to_be_visible()
        # What a page loads after its frame; a stream of events never lets the network rest.
        page.wait_for_timeout(1000)
        refused += page.evaluate("window.__refused")
    page.goto("/api/docs")
    expect(page.locator("#swagger-ui .opblock").first).to_be_visible(timeout=60_000)
    refused += page.evaluate("window.__refused")
    assert refused == []
    assert not [text for text in said if "Content Security Policy" in text]
    # A script that somebody got into a page would not run.
    page.goto("/")
    ran = page.evaluate(
        """() => {
            const script = document.createElement("script");
            script.textContent = "window.__ran = true";
            document.body.append(script);
            const image = document.createElement("div");
            image.innerHTML = '<img src="x" onerror="window.__ran = true">';
            document.body.append(image);
            return window.__ran === true;
        }"""
    )
    page.wait_for_function("window.__refused.length > 0")
    assert not ran
    assert not page.evaluate("window.__ran === true")
