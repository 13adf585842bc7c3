"""A pool that stays in a bucket: asked for in the browser, shown from there, never wrongly."""

import os
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from karat import Client
from karat.project import ProjectClient
from karat.stack import Stack
from tests.e2e.chromium import sign_in
from tests.karat.helpers import Run
from tests.s3 import CREDENTIALS, Bucket, S3Server
from tests.workers.import_files import encoded, picture

COUNT = 12


@pytest.fixture(scope="module")
def far(s3: S3Server) -> Bucket:
    """A bucket of images, one of them in a folder of its own."""
    found = Bucket(s3.files(), s3.bucket())
    found.put(
        {f"photos/{seed}.png": encoded(picture(seed, 300, 200)) for seed in range(COUNT)}
        | {"photos/notes.txt": b"no image"}
    )
    return found


@pytest.fixture(scope="module")
def stack(
    far: Bucket, s3: S3Server, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Stack]:
    """An installation that may take images from the bucket."""
    given = {
        **CREDENTIALS,
        "KARAT_S3_ENDPOINT": s3.endpoint,
        "KARAT_IMPORT_LOCATIONS": f"{far.url}/photos",
    }
    with pytest.MonkeyPatch.context() as patch:
        for name, value in given.items():
            patch.setenv(name, value)
        with Stack(tmp_path_factory.mktemp("bucket") / "data", port=0) as running:
            yield running


@pytest.fixture
def admin(browser: Browser, stack: Stack) -> Iterator[Page]:
    assert stack.admin_email is not None
    assert stack.admin_password is not None
    context = sign_in(browser, stack.url, (stack.admin_email, stack.admin_password))
    yield context.new_page()
    context.close()


@pytest.fixture
def project(stack: Stack) -> Iterator[ProjectClient]:
    assert stack.admin_email is not None
    assert stack.admin_password is not None
    with Client(stack.url) as client:
        client.login(stack.admin_email, stack.admin_password)
        yield client.create_project("Far away", ["cat", "dog"], settings={"input_size": 16})


def test_a_pool_is_taken_from_a_bucket_and_labeled_from_there(
    admin: Page, project: ProjectClient, far: Bucket
) -> None:
    page = admin
    page.goto(f"/projects/{project.id}/settings")
    page.get_by_role("button", name="From a bucket").click()
    dialog = page.get_by_role("dialog")
    location = dialog.get_by_label("Location", exact=True)
    expect(location).to_have_value(f"{far.url}/photos")
    location.fill("s3://somewhere-else")
    page.keyboard.press("Enter")
    expect(dialog.get_by_text(f"Images are taken from {far.url}/photos only.")).to_be_visible()
    expect(location).to_have_attribute("aria-invalid", "true")
    location.fill(f"{far.url}/photos")
    page.keyboard.press("Enter")
    expect(dialog).to_have_count(0)
    expect(page.get_by_text(f"{COUNT} images added, 1 file refused")).to_be_visible(timeout=60_000)
    project.start()

    page.goto(f"/projects/{project.id}/label")
    shown = page.locator("img[data-query-id]")
    expect(shown).to_be_visible(timeout=60_000)
    # The original, as the browser gets it from the bucket and within the page's policy.
    assert shown.evaluate("image => [image.naturalWidth, image.naturalHeight]") == [300, 200]

    for seed in range(COUNT):
        far.put({f"photos/{seed}.png": encoded(picture(100 + seed, 300, 200))})
    page.context.clear_cookies(name="nothing")
    fresh = page.context.new_page()
    fresh.goto(f"/projects/{project.id}/label")
    expect(fresh.get_by_text("has changed since it was imported")).to_be_visible(timeout=30_000)
    expect(fresh.locator("img[data-query-id]")).to_have_count(0)


def test_the_command_line_takes_images_from_a_bucket(
    stack: Stack, far: Bucket, karat: Run, project: ProjectClient
) -> None:
    assert stack.admin_email is not None
    assert stack.admin_password is not None
    given = {"KARAT_URL": stack.url, "KARAT_PASSWORD": stack.admin_password}
    karat("login", stack.url, "--email", stack.admin_email, **given)
    done = karat("pool", "add", project.id, f"{far.url}/photos", "--include", "*1.png", **given)
    assert "2" in done.stdout
    first, second = project.pool.find()
    assert [first["name"], second["name"]] == ["1.png", "11.png"]
    link = karat("pool", "link", project.id, first["id"], **given).stdout.strip()
    assert link.startswith(f"{stack.url}/api/images/{first['id']}?")
    refused = karat("pool", "add", project.id, "s3://not-ours", status=1, **given)
    assert "KARAT_IMPORT_LOCATIONS" in refused.stderr + refused.stdout
    assert os.environ.get("KARAT_IMPORT_LOCATIONS") == f"{far.url}/photos"
