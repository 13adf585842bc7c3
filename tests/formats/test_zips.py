"""The zip writer: what it makes is read by others, also beyond four gigabytes."""

import zipfile
from pathlib import Path

from api.exports.zips import Spool, ZipWriter


def test_entries_beyond_four_gigabytes(tmp_path: Path) -> None:
    path = tmp_path / "large.zip"
    far = (1 << 32) + 5
    with ZipWriter() as archive, path.open("wb") as file:
        file.truncate(far)  # a hole, which takes no space
        file.seek(far)
        archive._offset = far
        file.write(archive.stored("ü/a.bin", b"first"))
        spool = Spool()
        spool.write(b"text " * 100_000)
        file.writelines(archive.spooled("b.txt", spool))
        spool.close()
        file.writelines(archive.finish())
    with zipfile.ZipFile(path) as found:
        assert found.testzip() is None
        assert found.read("ü/a.bin") == b"first"
        assert found.read("b.txt") == b"text " * 100_000
        assert found.getinfo("b.txt").compress_size < 10_000


def test_more_entries_than_two_bytes_count(tmp_path: Path) -> None:
    path = tmp_path / "many.zip"
    with ZipWriter() as archive, path.open("wb") as file:
        file.writelines(archive.stored(f"{n}", b"") for n in range(66_000))
        file.writelines(archive.finish())
    with zipfile.ZipFile(path) as found:
        assert len(found.namelist()) == 66_000
        assert found.read("65999") == b""
