"""Files that somebody sends to do harm: refused, or kept as the picture that they also are."""

import io
import shutil
import stat
import struct
import zipfile
import zlib
from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa
import pytest
from fastapi.testclient import TestClient
from pyarrow import parquet

from core.states import Split
from tests.workers.import_files import (
    Pool,
    encoded,
    huge_png,
    patched,
    picture,
    png,
    reasons,
    zipped,
)
from tests.world import World

HTML = b"<script>fetch('/api/tokens',{method:'POST'})</script>"


@pytest.fixture
def pool(world: World) -> Pool:
    return Pool(world.session, world.storage, world.project())


def gif_that_is_a_script() -> bytes:
    """``GIF89a=1;…`` begins a script as well as a picture."""
    gif = bytearray(encoded(picture(1, 4, 4, "P"), "GIF"))
    comment = b"*/=1;alert(1);/*"
    at = 13 + 3 * 2 ** ((gif[10] & 7) + 1)
    return bytes(gif[:at]) + b"\x21\xfe" + bytes([len(comment)]) + comment + b"\0" + bytes(gif[at:])


def jpeg_that_is_a_pdf() -> bytes:
    jpeg = encoded(picture(2), "JPEG")
    note = b"%PDF-1.4\n1 0 obj<</OpenAction<</S/JavaScript/JS(app.alert(1))>>>>endobj"
    return jpeg[:2] + b"\xff\xfe" + struct.pack(">H", len(note) + 2) + note + jpeg[2:]


def png_with_a_text_bomb() -> bytes:
    data = b"Comment\0\0" + zlib.compress(bytes(300 << 20), 9)
    chunk = struct.pack(">L", len(data)) + b"zTXt" + data
    chunk += struct.pack(">L", zlib.crc32(b"zTXt" + data))
    whole = png(3)
    return whole[:33] + chunk + whole[33:]


@pytest.mark.parametrize(
    ("content", "media"),
    [
        (gif_that_is_a_script(), "image/gif"),
        (jpeg_that_is_a_pdf(), "image/jpeg"),
        (png(4) + HTML, "image/png"),
        (encoded(picture(5), "JPEG") + zipped([("a.html", HTML)]), "image/jpeg"),
    ],
    ids=["script", "pdf", "html", "zip"],
)
def test_a_picture_that_is_also_something_else_stays_a_picture(
    http: TestClient, world: World, pool: Pool, content: bytes, media: str
) -> None:
    assert pool.zip({"page.html.png": content})["added"] == 1
    (example,) = pool.examples()
    response = http.get(f"/api/examples/{example.id}/image", headers=world.caller().headers)
    assert response.headers["content-type"] == media
    assert response.headers["x-content-type-options"] == "nosniff"
    assert "sandbox" in response.headers["content-security-policy"]
    # The small version is drawn anew: nothing but pixels is left.
    small = http.get(f"/api/examples/{example.id}/image?size=64", headers=world.caller().headers)
    assert small.headers["content-type"] == "image/webp"
    assert not any(word in small.content for word in (b"<script", b"alert", b"%PDF"))


def test_what_is_no_picture_is_refused_by_name(pool: Pool) -> None:
    svg = b'<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"></svg>'
    result = pool.zip(
        {
            "a.svg": svg,
            "svg.png": svg,
            "page.png": b"<!doctype html>" + HTML,
            "script.gif": b"GIF89a=1;alert(1)",
            "half.png": png(1)[:60],
            "pixels.png": huge_png(),
            "nested.zip": zipped([("a.png", png(2))]),
            "empty.png": b"",
            "text.png": png_with_a_text_bomb(),
            "fine.png": png(9),
        }
    )
    assert (result["added"], result["refused"]) == (1, 9)
    assert len(reasons(result)) == 9


def test_names_and_links_in_a_zip_lead_nowhere(pool: Pool, world: World, tmp_path: Path) -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("../../evil.png", png(1))
        archive.writestr("/etc/evil.png", png(2))
        archive.writestr("C:\\evil.png", png(3))
        archive.writestr("a/..\\..\\evil.png", png(4))
        link = zipfile.ZipInfo("link.png")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
        archive.writestr("nul\0.png.exe", png(5))
    before = {path for path in tmp_path.rglob("*") if "data" not in path.parts}
    job = pool.add(stream.getvalue())
    assert job.result is not None, job.error
    assert reasons(job.result).keys() >= {"../../evil.png", "/etc/evil.png", "link.png"}
    assert not list(tmp_path.rglob("*evil*"))
    assert not [path for path in world.storage.root.rglob("*") if path.is_symlink()]
    assert {path for path in tmp_path.rglob("*") if "data" not in path.parts} == before


def test_a_zip_that_promises_too_much_is_refused_as_a_whole(pool: Pool) -> None:
    bomb = zipped((f"{index}.png", bytes(8 << 20)) for index in range(8))
    for name in range(8):
        bomb = patched(bomb, f"{name}.png", {"size": (1 << 32) - 2})
    job = pool.add(bomb)
    assert job.error is not None
    assert job.error["code"] == "invalid_archive"
    assert "200 times" in job.error["detail"]


def test_a_zip_whose_entries_share_their_bytes_is_refused(pool: Pool) -> None:
    noise = encoded(picture(7, 200, 200), "BMP")
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("0.png", noise)
        first = archive.filelist[0]
        for index in range(1, 20):
            again = zipfile.ZipInfo(f"{index}.png")
            for field in ("CRC", "compress_size", "file_size", "header_offset", "compress_type"):
                setattr(again, field, getattr(first, field))
            archive.filelist.append(again)
    job = pool.add(stream.getvalue())
    assert job.error is not None
    assert "overlap" in job.error["detail"]


def test_a_value_that_every_row_of_a_parquet_file_shares_is_not_multiplied(
    pool: Pool, tmp_path: Path
) -> None:
    large = png(1) + bytes(8 << 20)
    rows = pa.array([0] * 80, pa.int32())
    column = pa.DictionaryArray.from_arrays(rows, pa.array([large], pa.binary()))
    file = tmp_path / "bomb.parquet"
    parquet.write_table(
        pa.table({"image": column}), file, dictionary_pagesize_limit=1 << 30, store_schema=False
    )
    assert file.stat().st_size < 4 << 20
    memory = pa.default_memory_pool()
    before = memory.max_memory()
    job = pool.add(file.read_bytes(), "bomb.parquet")
    assert job.result is not None, job.error
    assert (job.result["added"], job.result["duplicates"]) == (1, 79)
    assert memory.max_memory() < max(before, 1 << 29)


def test_a_full_disk_refuses_the_upload_and_keeps_nothing(
    http: TestClient, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = world.project()
    full = SimpleNamespace(free=1 << 20, total=1 << 40)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: full)
    response = http.post(
        f"/api/projects/{project.id}/imports?filename=a.png&split={Split.POOL}",
        content=png(1),
        headers=world.caller().headers,
    )
    assert (response.status_code, response.json()["code"]) == (503, "disk_full")
    assert not list(world.storage.upload("").iterdir())


@pytest.mark.parametrize("name", ["../../a.svg", "a.html", "a.png/", "a.exe", "a.png\0.svg"])
def test_a_name_that_we_do_not_read_is_refused_before_it_is_stored(
    http: TestClient, world: World, name: str
) -> None:
    project = world.project()
    response = http.post(
        f"/api/projects/{project.id}/imports",
        params={"filename": name},
        content=png(1),
        headers=world.caller().headers,
    )
    if name == "a.png/":
        assert response.json()["params"]["filename"] == "a.png"
    else:
        assert (response.status_code, response.json()["code"]) == (400, "invalid_upload")
