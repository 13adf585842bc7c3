"""What counts as a full disk."""

import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from core.files.disk import room
from core.settings import Settings


@pytest.mark.parametrize(
    ("places", "left", "few"),
    [
        (1_000_000, 9_999, 9_999),
        (1_000_000, 10_000, None),
        (1_000, 49, 49),
        (1_000, 50, None),
        pytest.param(0, 0, None, id="Btrfs, which counts none"),
        pytest.param(1_000_000, -1, None, id="Ceph, which does not know"),
    ],
)
def test_a_disk_that_takes_hardly_any_more_files_is_low_whatever_room_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, places: int, left: int, few: int | None
) -> None:
    sizes = {"f_frsize": 1, "f_blocks": 2**40, "f_bfree": 2**39, "f_bavail": 2**39}
    found = SimpleNamespace(**sizes, f_files=places, f_favail=left)
    monkeypatch.setattr(os, "statvfs", lambda _: found)
    seen = room(Settings(data_dir=tmp_path))
    assert (seen.state, seen.files) == ("ok" if few is None else "low", few)
    assert seen.free == 2**39
