"""Chromium shows what the model sees: of originals that are sent as they are, and of all others."""

import base64
import hashlib
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from playwright.sync_api import Browser, Page, expect

from core.files.storage import Storage
from core.media.images.rendition import rendered
from core.media.images.thumbnails import make_full_size
from karat import Client
from karat.client.project import ProjectClient
from tests import zoo
from tests.processes import eventually

_DRAW = """
async (address) => {
  const image = new Image();
  image.src = address;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
  const context = canvas.getContext("2d");
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
  // One word rather than a list, each number of which would go through the driver by itself.
  const bytes = Array.from(data, (byte) => String.fromCharCode(byte)).join("");
  return { width: canvas.width, height: canvas.height, data: btoa(bytes) };
}
"""


def shown(page: Page, content: bytes, media_type: str) -> NDArray[np.int64]:
    """(H, W, 4) levels that Chromium draws of a file."""
    address = f"data:{media_type};base64,{base64.b64encode(content).decode()}"
    found = page.evaluate(_DRAW, address)
    levels = np.frombuffer(base64.b64decode(found["data"]), dtype=np.uint8)
    return levels.astype(np.int64).reshape(found["height"], found["width"], 4)


def test_chromium_shows_what_the_model_sees(browser: Browser, tmp_path: Path) -> None:
    page, storage = browser.new_page(), Storage(tmp_path)
    wrong = {}
    kept = 0
    for kind in zoo.every_kind():
        content, _ = zoo.made(kind)
        with rendered(content) as picture:
            expected = np.asarray(picture.image).astype(np.int64)
            media_type = picture.media_type
        full = make_full_size(storage, hashlib.sha256(content).digest(), content)
        if full is not None:
            content, media_type = full[0].read_bytes(), full[1]
        else:
            kept += 1
        levels = shown(page, content, media_type)
        if levels.shape[:2] != expected.shape[:2] or levels[..., 3].min() < 255:
            wrong[str(kind)] = f"{levels.shape}, opacity from {levels[..., 3].min()}"
        elif (apart := np.abs(levels[..., :3] - expected)).mean() > 1 or apart.max() > 12:
            wrong[str(kind)] = f"apart by {apart.mean():.1f}, at most {apart.max()}"
    assert wrong == {}
    # Most of what people bring is sent as it is.
    assert kept > 20


UNSHOWN = {
    **{f"{mode}.tif": zoo.made(zoo.Kind("TIFF", mode, 6))[0] for mode in ("RGB", "12", "RGBA")},
    "IMG_0001.HEIC": zoo.made(zoo.Kind("HEIF", "RGB", 6))[0],
}


@pytest.fixture
def unshown(karat: Client, tmp_path: Path) -> ProjectClient:
    """An open round of what browsers do not show: TIFFs, one of them of 12 bits, and HEIC."""
    folder = tmp_path / "pool"
    folder.mkdir()
    for name, content in UNSHOWN.items():
        (folder / name).write_bytes(content)
    made = karat.create_project(f"Unshown {tmp_path.name}", ["a", "b"], settings={"input_size": 16})
    karat.wait(made.import_images(folder)["id"])
    made.start()
    eventually(lambda: made.rounds()[0]["state"] == "open", "the first round opens")
    return made


def test_they_are_labeled_in_a_browser(signed_in: Page, unshown: ProjectClient) -> None:
    page = signed_in
    page.goto(f"/projects/{unshown.id}/label")
    for _ in UNSHOWN:
        image = page.locator("img[data-query-id]")
        expect(image).to_be_visible()
        size = image.evaluate("image => [image.naturalWidth, image.naturalHeight]")
        assert size == [zoo.WIDTH, zoo.HEIGHT]
        query = image.get_attribute("data-query-id")
        page.keyboard.press("1")
        expect(page.locator(f"[data-query-id='{query}']")).to_have_count(0)
    eventually(
        lambda: all(one["state"] == "labeled" for one in unshown.pool.find({})), "all are labeled"
    )


def test_they_are_seen_in_the_pool_and_kept_as_they_came(
    signed_in: Page, unshown: ProjectClient
) -> None:
    page = signed_in
    page.goto(f"/projects/{unshown.id}/pool")
    page.get_by_role("listbox", name="Images").get_by_role("option").first.click()
    image = page.get_by_role("complementary", name="Image").get_by_role("img").first
    expect(image).to_be_visible()
    expect(image).to_have_js_property("naturalWidth", zoo.WIDTH)
    for one in unshown.pool.find({}):
        original = page.request.get(f"{one['image_url']}&original=true")
        name = str(one["name"])
        kind = "image/heic" if name.endswith(".HEIC") else "image/tiff"
        assert original.headers["content-type"] == kind
        assert original.body() == UNSHOWN[name]


def test_a_large_photograph_is_shown_at_the_size_of_a_screen_and_whole_on_zooming_in(
    signed_in: Page, karat: Client, tmp_path: Path
) -> None:
    folder = tmp_path / "pool"
    folder.mkdir()
    for at, size in enumerate([(4000, 3000), (1600, 3200)]):
        zoo.picture().resize(size).save(folder / f"{at}.jpg", quality=90)
    project = karat.create_project(f"Large {tmp_path.name}", ["a", "b"])
    karat.wait(project.import_images(folder)["id"])
    project.start()
    eventually(lambda: project.rounds()[0]["state"] == "open", "the first round opens")
    page = signed_in
    page.goto(f"/projects/{project.id}/label")
    for _ in range(2):
        image = page.locator("img[data-query-id]")
        expect(image).to_be_visible()
        address = str(image.get_attribute("src"))
        longer = "image => Math.max(image.naturalWidth, image.naturalHeight)"
        assert address.endswith("&size=2000")
        assert image.evaluate(longer) == 2000
        for _ in range(5):
            page.keyboard.press("+")
        expect(page.get_by_role("button", name="538 %")).to_be_enabled()
        coarse = image.bounding_box()
        expect(image).to_have_attribute("src", address.removesuffix("&size=2000"))
        assert image.evaluate(longer) > 3000
        # What was enlarged stays where it is.
        sharp = image.bounding_box()
        assert coarse is not None
        assert sharp is not None
        assert all(abs(sharp[key] - value) < 4 for key, value in coarse.items())  # type: ignore[literal-required]
        query = image.get_attribute("data-query-id")
        page.keyboard.press("1")
        expect(page.locator(f"[data-query-id='{query}']")).to_have_count(0)
