"""A pool that stays in a bucket: asked for in the browser, shown from there, never wrongly."""

import secrets
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from karat import Client
from karat.client.project import ProjectClient
from karat.local.stack import Stack
from tests.e2e.chromium import sign_in
from tests.e2e.importing import confirm
from tests.processes import ended
from tests.s3 import CREDENTIALS, Bucket, S3Server
from tests.stacks import admin_login, installed
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
def stack(far: Bucket, s3: S3Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """An installation that may take images from the bucket."""
    given = {
        **CREDENTIALS,
        "KARAT_S3_ENDPOINT": s3.endpoint,
        "KARAT_IMPORT_LOCATIONS": f"{far.url}/photos",
    }
    with pytest.MonkeyPatch.context() as patch:
        for name, value in given.items():
            patch.setenv(name, value)
        with installed(tmp_path_factory.mktemp("bucket") / "data") as running:
            yield running


@pytest.fixture
def admin(browser: Browser, stack: Stack) -> Iterator[Page]:
    context = sign_in(browser, stack.url, admin_login(stack))
    yield context.new_page()
    context.close()


@pytest.fixture
def project(karat: Client) -> ProjectClient:
    name = f"Far away {secrets.token_hex(4)}"
    return karat.create_project(name, ["cat", "dog"], settings={"input_size": 16})


@pytest.fixture
def token(karat: Client) -> str:
    return karat.create_token("script")["secret"]


def test_a_pool_is_taken_from_a_bucket_and_labeled_from_there(
    admin: Page, browser: Browser, stack: Stack, project: ProjectClient, far: Bucket
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
    dialog.get_by_role("button", name="Import").click()
    confirm(page, f"{far.url}/photos")
    expect(page.get_by_text(f"{COUNT} images added, 1 refused")).to_be_visible(timeout=120_000)
    project.start()

    page.goto(f"/projects/{project.id}/label")
    shown = page.locator("img[data-query-id]")
    expect(shown).to_be_visible(timeout=200_000)
    # The original, as the browser gets it from the bucket and within the page's policy.
    assert shown.evaluate("image => [image.naturalWidth, image.naturalHeight]") == [300, 200]

    far.put({f"photos/{seed}.png": encoded(picture(100 + seed, 300, 200)) for seed in range(COUNT)})
    # Gives its images back, for a browser that has seen none of them.
    page.get_by_role("button", name="Pause").click()
    context = sign_in(browser, stack.url, admin_login(stack))
    fresh = context.new_page()
    fresh.goto(f"/projects/{project.id}/label")
    expect(fresh.get_by_text("has changed since it was imported")).to_be_visible(timeout=120_000)
    expect(fresh.locator("img[data-query-id]")).to_have_count(0)
    context.close()


def test_the_command_line_takes_images_from_a_bucket(
    stack: Stack, far: Bucket, project: ProjectClient, token: str, tmp_path: Path
) -> None:
    def karat(*arguments: object, status: int = 0) -> str:
        given = {"KARAT_URL": stack.url, "KARAT_TOKEN": token, "HOME": str(tmp_path)}
        done = ended("karat", *map(str, arguments), **given)
        assert done.returncode == status, done.stdout + done.stderr
        return done.stderr if status else done.stdout

    said = karat("pool", "add", project.id, f"{far.url}/photos", "--include", "*1.png")
    assert "2" in said
    names = {one["name"]: one["id"] for one in project.pool.find()}
    assert names.keys() == {"1.png", "11.png"}
    link = karat("pool", "link", project.id, names["1.png"]).strip()
    assert httpx.get(link, follow_redirects=True).headers["content-type"] == "image/png"
    table = tmp_path / "keys.csv"
    table.write_text("key,camera\n2.png,north\n")
    karat("pool", "add", project.id, f"{far.url}/photos", "--table", table)
    (added,) = project.pool.find({"name": "2.png"})
    assert project.pool.show(added["id"])["meta"] == {"camera": "north"}
    assert "KARAT_IMPORT_LOCATIONS" in karat("pool", "add", project.id, "s3://not-ours", status=1)

    place = f"{far.url}/photos"
    said = karat("sync", "add", project.id, place, "--every", 0, "--include", "3.png")
    number = said.split()[1]
    assert f"follows {place} when asked to" in said
    # It has 2.png, too, which no pattern of this place names: not gone for that.
    assert "Changed since: 0; gone: 0" in karat("sync", "run", project.id, number)
    assert project.pool.count({"name": "3.png"})["count"] == 1
    far.remove("photos/3.png")
    karat("sync", "run", project.id, number)
    assert "3.png" in karat("sync", "show", project.id, number, "--finding", "gone")
    assert "up to date" in karat("sync", "list", project.id)
    assert "every 30 minutes" in karat("sync", "every", project.id, number, 30)
    karat("sync", "remove", project.id, number)
    assert project.syncs.list() == []


def test_a_place_is_followed_and_what_changed_is_said(
    admin: Page, project: ProjectClient, far: Bucket
) -> None:
    far.put({f"photos/day/{seed}.png": encoded(picture(50 + seed, 30, 20)) for seed in range(3)})
    page = admin
    page.goto(f"/projects/{project.id}/settings")
    page.get_by_role("button", name="From a bucket").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Location", exact=True).fill(f"{far.url}/photos/day")
    dialog.get_by_label("And then").select_option(label="Follow it, every day")
    dialog.get_by_role("button", name="Follow").click()
    expect(page.get_by_text("3 images added")).to_be_visible(timeout=120_000)
    places = page.get_by_role("region", name="Followed places")
    expect(places.get_by_text("Up to date")).to_be_visible(timeout=60_000)
    far.put({"photos/day/0.png": encoded(picture(90, 30, 20))})
    far.put({"photos/day/3.png": encoded(picture(91, 30, 20))})
    far.remove("photos/day/1.png")
    places.get_by_role("button", name="Look now").click()
    places.get_by_text("1 image has changed there").click(timeout=60_000)
    expect(places.get_by_text("0.png", exact=True)).to_be_visible()
    expect(places.get_by_text("1 image is gone from there")).to_be_visible()
    expect(page.get_by_text("1 image added")).to_be_visible(timeout=120_000)
    assert {one["name"] for one in project.pool.find()} == {f"{n}.png" for n in range(4)}
