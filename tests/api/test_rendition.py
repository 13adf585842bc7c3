"""What is served at full size: the original where browsers show it right, else a picture of it."""

import hashlib
import io
import re
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from fastapi.testclient import TestClient
from PIL import Image
from sqlalchemy import select
from sqlalchemy.orm import Session

from api.schemas.pictures import image_url
from core import settings
from core.files.storage import Storage
from core.media.images.rendition import VERSION
from core.media.images.thumbnails import LARGEST, SCREEN, full_size, thumbnail
from core.tables import Example
from tests import zoo
from tests.s3 import Bucket
from tests.workers.import_files import Pool, encoded, png
from tests.world import World
from workers.jobs import context

TIFF, _ = zoo.made(zoo.Kind("TIFF", "RGBA", 6))


@pytest.fixture
def pool(world: World, session: Session, installation: settings.Settings) -> Iterator[Pool]:
    yield Pool(session, Storage(Path(installation.data_dir)), world.project())
    context.sessions().kw["bind"].dispose()


def levels(answer: Any) -> Any:
    with Image.open(io.BytesIO(answer.content)) as image:
        assert image.format != "TIFF"
        return np.asarray(image.convert("RGB")).astype(int)


@pytest.mark.parametrize(
    ("kind", "shown", "as_is"),
    [
        (zoo.Kind("JPEG", "RGB", 6), "image/jpeg", True),
        (zoo.Kind("PNG", "RGB"), "image/png", True),
        (zoo.Kind("PNG", "RGBA"), "image/png", False),
        (zoo.Kind("PNG", "12"), "image/png", False),
        (zoo.Kind("JPEG", "CMYK"), "image/jpeg", False),
        (zoo.Kind("WEBP", "RGB", frames=3), "image/png", False),
        (zoo.Kind("TIFF", "RGBA", 6), "image/png", False),
        (zoo.Kind("HEIF", "RGB", 6), "image/jpeg", False),
        (zoo.Kind("AVIF", "RGB", 6), "image/jpeg", False),
    ],
    ids=str,
)
def test_full_size_is_the_picture_and_the_original_can_be_had(
    http: TestClient, world: World, pool: Pool, kind: zoo.Kind, shown: str, as_is: bool
) -> None:
    content, expected = zoo.made(kind)
    assert pool.zip({f"one.{kind.format.lower()}": content})["added"] == 1
    (example,) = pool.examples()
    assert example.as_is is as_is
    headers = world.caller().headers
    answer = http.get(image_url(example.id), headers=headers)
    assert (answer.status_code, answer.headers["content-type"]) == (200, shown)
    assert (answer.content == content) is as_is
    if not as_is:
        assert np.abs(levels(answer) - np.asarray(expected).astype(int)).mean() < 3
    original = http.get(f"{image_url(example.id)}&original=true", headers=headers)
    assert original.content == content
    called = "heic" if kind.format == "HEIF" else kind.format.lower()
    assert original.headers["content-type"] == f"image/{called}"
    assert original.headers["etag"] != answer.headers["etag"]


def test_an_image_of_an_older_version_is_looked_at_once(
    http: TestClient, world: World, pool: Pool
) -> None:
    pool.zip({"a.tif": TIFF, "b.png": png(1)})
    headers = world.caller().headers
    for example in pool.examples():
        example.as_is = None
    pool.session.commit()
    first, second = pool.examples()
    assert levels(http.get(image_url(first.id), headers=headers)).shape == (64, 96, 3)
    assert http.get(image_url(second.id), headers=headers).content == png(1)
    pool.session.expire_all()
    assert [one.as_is for one in pool.examples()] == [False, True]


def test_what_older_versions_made_is_not_shown(http: TestClient, world: World, pool: Pool) -> None:
    pool.zip({"a.png": zoo.made(zoo.Kind("PNG", "RGBA"))[0]})
    (example,) = pool.examples()
    digest = example.content_hash.hex()
    stale = pool.storage.root / "thumbnails" / "128" / digest[:2] / f"{digest}.webp"
    stale.parent.mkdir(parents=True)
    stale.write_bytes(encoded(Image.new("RGB", (96, 64), "black"), "WEBP"))
    headers = world.caller().headers
    small = http.get(f"{image_url(example.id)}&size=128", headers=headers)
    # Clear at the left, which is white.
    assert levels(small)[:, :4].min() > 240


def test_only_addresses_of_the_present_rules_are_kept_for_good(
    http: TestClient, world: World, pool: Pool
) -> None:
    pool.zip({"a.tif": TIFF})
    (example,) = pool.examples()
    headers = world.caller().headers
    kept = {
        version: http.get(f"/api/examples/{example.id}/image{version}", headers=headers).headers[
            "cache-control"
        ]
        for version in ("", f"?v={VERSION}", f"?v={VERSION - 1}", f"?v={VERSION}&size=64")
    }
    assert ["immutable" in one for one in kept.values()] == [False, True, False, True]
    assert all("private" in one for one in kept.values())


def test_pages_and_server_name_the_same_version() -> None:
    source = Path("frontend/src/media/image/urls.ts").read_text()
    assert re.findall(r"const VERSION = (\d+);", source) == [str(VERSION)]


def test_an_original_has_no_small_version(http: TestClient, world: World) -> None:
    world.project(images=1)
    example = world.session.scalars(select(Example)).one()
    path = f"{image_url(example.id)}&original=true&size=64"
    answer = http.get(path, headers=world.caller().headers)
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_value")


def test_a_tiff_in_a_bucket_is_shown_as_a_picture(
    bucket: Bucket, world: World, pool: Pool, http: TestClient
) -> None:
    bucket.put({"a.tif": TIFF, "b.png": png(1)})
    pool.bucket(bucket.url)
    first, second = sorted(pool.examples(), key=lambda one: one.name)
    headers = world.caller().headers
    answer = http.get(image_url(first.id), headers=headers, follow_redirects=False)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "image/png")
    assert levels(answer).shape == (64, 96, 3)
    passed = http.get(
        f"{image_url(first.id)}&original=true", headers=headers, follow_redirects=False
    )
    assert passed.status_code == 307
    assert httpx.get(passed.headers["location"]).content == TIFF
    plain = http.get(image_url(second.id), headers=headers, follow_redirects=False)
    assert plain.status_code == 307


def test_the_import_makes_ahead_what_annotators_would_wait_for(pool: Pool) -> None:
    large = zoo.picture().resize((2400, 1600))
    huge = zoo.picture().resize((2800, 1600))
    files = {
        "photo.jpg": encoded(large, "JPEG"),
        "huge.jpg": encoded(huge, "JPEG"),
        "scan.tif": encoded(large, "TIFF", compression="tiff_lzw"),
        "small.tif": TIFF,
    }
    pool.zip(files)
    made = {
        name: (
            thumbnail(pool.storage, hashlib.sha256(content).digest(), LARGEST).exists(),
            thumbnail(pool.storage, hashlib.sha256(content).digest(), SCREEN).exists(),
            full_size(pool.storage, hashlib.sha256(content).digest()) is not None,
        )
        for name, content in files.items()
    }
    assert made == {
        "photo.jpg": (True, False, False),
        "huge.jpg": (True, True, False),
        "scan.tif": (True, False, True),
        "small.tif": (False, False, False),
    }


def test_screens_are_sent_a_version_of_large_images(
    http: TestClient, world: World, pool: Pool
) -> None:
    huge = zoo.picture().resize((2800, 1600))
    content = encoded(huge, "JPEG", quality=95)
    pool.zip({"huge.jpg": content, "small.png": encoded(zoo.picture(), "PNG")})
    headers = world.caller().headers
    shown = {}
    for one in pool.examples():
        answer = http.get(f"{image_url(one.id)}&size={SCREEN}", headers=headers)
        assert answer.headers["content-type"] == "image/jpeg"
        shown[one.name] = levels(answer)
    assert shown["huge.jpg"].shape == (1143, 2000, 3)
    assert shown["small.png"].shape[:2] == zoo.picture().size[::-1]
    with Image.open(io.BytesIO(content)) as image:
        expected = np.asarray(image.resize((2000, 1143))).astype(np.int64)
    assert np.abs(shown["huge.jpg"].astype(np.int64) - expected).mean() < 2


def test_many_who_ask_at_once_get_one_picture(http: TestClient, world: World, pool: Pool) -> None:
    pool.zip({"a.tif": TIFF})
    (example,) = pool.examples()
    headers = world.caller().headers
    start = threading.Barrier(8)

    def ask(_: int) -> bytes:
        start.wait()
        return http.get(image_url(example.id), headers=headers).content

    with ThreadPoolExecutor(8) as threads:
        assert len(set(threads.map(ask, range(8)))) == 1
    folder = pool.storage.root / "renditions"
    assert [one.suffix for one in folder.rglob("*") if one.is_file()] == [".png"]


def test_the_file_of_an_export_is_the_one_that_came(
    http: TestClient, world: World, pool: Pool
) -> None:
    pool.zip({"a.tif": TIFF})
    path = f"/api/projects/{pool.project_id}/export?format=coco&unlabeled=true"
    answer = http.get(path, headers=world.caller().headers)
    assert TIFF in answer.content
