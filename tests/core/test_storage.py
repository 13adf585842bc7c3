"""Files appear whole or not at all."""

import os
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from core.files import storage
from core.files.storage import Freed, Storage, write_atomically
from models.files import atomic

Write = Callable[[Path, Callable[[Path], object]], None]
both = pytest.mark.parametrize("write", [write_atomically, atomic.write_atomically])


@both
def test_failed_write_leaves_nothing(tmp_path: Path, write: Write) -> None:
    target = tmp_path / "new" / "scores.parquet"

    def fail(part: Path) -> None:
        part.write_bytes(b"half")
        # By which what is left of a killed process is known.
        assert (part.parent, part.suffix) == (target.parent, ".part")
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        write(target, fail)
    assert list(target.parent.iterdir()) == []


@both
def test_failed_write_keeps_what_was_there(tmp_path: Path, write: Write) -> None:
    target = tmp_path / "model"
    target.write_bytes(b"old")

    def fail(part: Path) -> None:
        part.write_bytes(b"half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write(target, fail)
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"old"]
    write(target, lambda part: part.write_bytes(b"new"))
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


def test_what_is_removed_is_counted_and_removed_again_without_harm(tmp_path: Path) -> None:
    store, digest = Storage(tmp_path), bytes(32)
    store.put_image(digest, b"image")
    for project_id in (1, 11):
        write_atomically(
            store.pixels(project_id, 8, "crop"), lambda part: part.write_bytes(b"pixels")
        )
    assert store.remove_path("projects/1").files == 1
    assert store.remove_path("projects/1") == Freed()
    assert not store.project(1).exists()
    assert store.pixels(11, 8, "crop").exists()
    small = tmp_path / "thumbnails" / "64" / digest.hex()[:2] / f"{digest.hex()}.webp"
    write_atomically(small, lambda part: part.write_bytes(b"small"))
    assert store.image(digest).exists()
    freed, _ = store.remove_images([digest, bytes([1]) * 32])
    assert (freed.files, freed.bytes > 0) == (2, True)
    assert not store.image(digest).exists()
    assert not small.exists()
    assert store.remove_images([digest]) == (Freed(), {})


def test_a_folder_that_stays_is_not_said_to_be_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Storage(tmp_path)
    for name in ("job.log", "pixels.u8"):
        write_atomically(store.project(1) / name, lambda part: part.write_bytes(b"x"))
    unlink = os.unlink

    def refuse(path: str | Path, **options: int | None) -> None:
        if Path(path).name == "job.log":
            raise PermissionError(13, "not permitted", str(path))
        unlink(path, **options)

    with monkeypatch.context() as broken:
        broken.setattr(os, "unlink", refuse)
        with pytest.raises(PermissionError):
            store.remove_path("projects/1")
    assert [path.name for path in store.project(1).iterdir()] == ["job.log"]
    assert store.remove_path("projects/1").files == 1
    assert not store.project(1).exists()
