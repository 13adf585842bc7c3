"""Files appear whole or not at all."""

from hashlib import sha256
from pathlib import Path

import pytest

from core import storage
from core.storage import Storage, write_atomically


def test_failed_write_leaves_nothing(tmp_path: Path) -> None:
    target = tmp_path / "new" / "scores.parquet"

    def fail(part: Path) -> None:
        part.write_bytes(b"half")
        assert part.parent == target.parent
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        write_atomically(target, fail)
    assert list(target.parent.iterdir()) == []


def test_failed_write_keeps_what_was_there(tmp_path: Path) -> None:
    target = tmp_path / "model"
    target.write_bytes(b"old")

    def fail(part: Path) -> None:
        part.write_bytes(b"half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_atomically(target, fail)
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"old"]
    write_atomically(target, lambda part: part.write_bytes(b"new"))
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"new"]


def test_image_is_stored_once_under_its_hash(tmp_path: Path) -> None:
    content = b"x" * 3_000_000
    store, digest = Storage(tmp_path), sha256(content).digest()
    store.put_image(digest, content)
    path = store.image(digest)
    before = path.stat().st_mtime_ns
    store.put_image(digest, content)
    assert path.stat().st_mtime_ns == before
    assert storage.sha256(path) == path.name == digest.hex()


def test_removed_project_takes_its_files_and_no_images(tmp_path: Path) -> None:
    store, digest = Storage(tmp_path), bytes(32)
    store.put_image(digest, b"image")
    for project_id in (1, 11):
        write_atomically(store.pixels(project_id), lambda part: part.write_bytes(b"pixels"))
    store.remove_project(1)
    store.remove_project(1)
    assert not store.project(1).exists()
    assert store.pixels(11).exists()
    assert store.image(digest).exists()
