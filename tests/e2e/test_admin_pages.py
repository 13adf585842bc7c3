"""What admins see and do, and the home of an annotator, in the browser."""

from pathlib import Path

from playwright.sync_api import Browser, Page, Route, expect

from karat import Client
from karat.local.stack import Stack
from tests.e2e.labeled import images

ANN = {"email": "ann@example.org", "name": "Ann", "password": "her first password"}
NEW = "her second password"


def sign_in(page: Page, email: str, password: str) -> None:
    page.goto("/")
    page.get_by_label("Email").fill(email)
    page.get_by_label("Password").fill(password)
    page.keyboard.press("Enter")


def test_a_user_is_added_reset_and_chooses_a_password(
    home: Page, browser: Browser, stack: Stack
) -> None:
    page = home
    page.get_by_role("link", name="Admin", exact=True).click()
    page.get_by_role("button", name="Add a user").click()
    page.get_by_label("Name").fill(ANN["name"])
    page.get_by_label("Email").fill(ANN["email"])
    page.get_by_label("Initial password").fill(ANN["password"])
    add = page.get_by_role("dialog").get_by_role("button", name="Add a user")
    # A form scrolls where the window is small; what can be done stays in sight.
    window = page.viewport_size
    page.set_viewport_size({"width": 390, "height": 400})
    expect(add).to_be_in_viewport(ratio=1)
    if window is not None:
        page.set_viewport_size(window)
    add.click()
    row = page.get_by_role("row").filter(has_text=ANN["email"])
    row.get_by_role("button", name="Reset password: Ann").click()
    page.get_by_role("dialog").get_by_role("button", name="Reset password").click()
    temporary = page.get_by_label("Temporary password", exact=True).input_value()
    page.get_by_role("button", name="Close").click()
    expect(row).to_contain_text("Has to choose a password")

    context = browser.new_context(base_url=stack.url)
    other = context.new_page()
    sign_in(other, ANN["email"], temporary)
    other.get_by_role("heading", name="Choose a new password").wait_for()
    # Whatever the address: nothing else opens before.
    other.goto("/account")
    other.get_by_label("Temporary password", exact=True).fill(temporary)
    other.get_by_label("New password", exact=True).fill(NEW)
    other.get_by_label("New password, again").fill("something else")
    expect(other.get_by_text("These two are not the same.")).to_be_visible()
    other.get_by_label("New password, again").fill(NEW)
    other.get_by_role("button", name="Change password").click()
    other.get_by_role("heading", name="Account").wait_for()
    other.goto("/admin/workers")
    expect(other.get_by_role("heading", name="This page is for admins")).to_be_visible()
    context.close()

    page.goto("/admin/audit?verb=reset_password")
    log = page.get_by_role("group", name="Audit log")
    expect(log.get_by_role("row").filter(has_text=ANN["email"])).to_have_count(1)
    # The filter stands in the address, so that it can be sent to somebody.
    page.get_by_label("Did").select_option("create")
    expect(page).to_have_url(f"{stack.url}/admin/audit?verb=create")
    expect(log.get_by_role("row").filter(has_text="made user")).not_to_have_count(0)


def test_workers_are_alive_and_room_is_told(signed_in: Page) -> None:
    page = signed_in
    page.goto("/admin/workers")
    expect(page.get_by_text("Everything runs.")).to_be_visible(timeout=60_000)
    processes = page.get_by_role("group", name="Processes")
    expect(processes.get_by_text("Alive")).to_have_count(4)
    page.get_by_role("link", name="Storage").click()
    disk = page.get_by_role("region", name="Disk of the data directory")
    expect(disk).to_contain_text("free of")


def test_an_annotators_home_says_what_waits_and_how_they_do(
    page: Page, karat: Client, tmp_path: Path
) -> None:
    bea = karat.create_user("bea@example.org", NEW, name="Bea", role="annotator")
    settings = {"input_size": 16, "budget": 30}
    project = karat.create_project("Home", ["light", "dark"], settings=settings)
    karat.wait(project.import_images(images(tmp_path / "pool", 40))["id"])
    project.start()
    project.add_member(bea["id"])
    sign_in(page, bea["email"], NEW)
    card = page.get_by_role("article").filter(has_text="Home")
    expect(card).to_contain_text("30 images wait for you", timeout=60_000)
    expect(page.get_by_text("Your pace appears here")).to_be_visible()
    card.get_by_role("link", name="Label").click()
    held: list[Route] = []
    page.route("**/labeling/answers", lambda route: held.append(route))
    for _ in range(3):
        image = page.locator("[data-query-id]")
        before = image.get_attribute("data-query-id")
        page.keyboard.press("x")
        expect(image).not_to_have_attribute("data-query-id", str(before))
    # Back at home the answers arrive after the first count, which is not repeated for 30 s.
    with page.expect_request("**/labeling/answers"):
        page.goto("/")
    expect(card).to_contain_text("30 images wait for you")
    held[-1].continue_()
    page.unroute("**/labeling/answers")
    work = page.get_by_role("region", name="Your work")
    expect(work.get_by_role("listitem").last).to_contain_text("3 verdicts", timeout=20_000)
    expect(card).to_contain_text("27 images wait for you")


def test_jobs_of_a_project_are_filtered_and_their_files_downloaded(
    signed_in: Page, karat: Client
) -> None:
    page = signed_in
    (project,) = (one for one in karat.projects() if one["name"] == "Home")
    page.goto(f"/projects/{project['id']}/jobs?kind=import_pool")
    jobs = page.get_by_role("group", name="All jobs")
    expect(jobs.get_by_role("row")).to_have_count(2)
    page.get_by_label("State", exact=True).select_option("failed")
    expect(page.get_by_text("No job fits these filters.")).to_be_visible()
    page.get_by_role("button", name="Clear filters").click()
    expect(jobs.get_by_role("row").filter(has_text="Training")).to_have_count(1)
    jobs.get_by_role("link", name="Importing images").click()
    files = page.get_by_role("group", name="Files")
    with page.expect_download() as download:
        files.get_by_role("link", name="Download Import report").click()
    assert download.value.path().stat().st_size > 0
