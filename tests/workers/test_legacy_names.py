"""Names in zips that are not UTF-8."""

import struct
import zipfile
import zlib
from io import BytesIO

import pytest

from tests.workers.import_files import Pool, png
from workers.imports.formats.archives.legacy_names import encoding_of


def zip_named(*names: bytes, extra: bytes = b"") -> bytes:
    """A zip whose names are these bytes, with nothing that says their encoding."""
    stream = BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for number, name in enumerate(names):
            info = zipfile.ZipInfo(chr(ord("A") + number) * len(name))
            info.extra = extra
            archive.writestr(info, png(number))
    content = stream.getvalue()
    for number, name in enumerate(names):
        content = content.replace(bytes([ord("A") + number]) * len(name), name)
    return content


@pytest.mark.parametrize(
    ("encoding", "names"),
    [
        ("cp437", ["Müller/Grün 1.png", "Ärger.jpg"]),
        ("cp1252", ["café/résumé.png", "Grüße.png"]),
        ("cp850", ["Málaga/niño.png"]),
        ("cp1251", ["привет/Кот 1.png", "собака.jpg"]),
        ("cp866", ["привет/Кот 1.png", "собака.jpg"]),
        ("shift_jis", ["ねこ/猫の写真.png", "イヌ.png"]),
        ("euc_kr", ["고양이/고양이 사진.png", "강아지 사진.png"]),
        ("gb2312", ["照片/我的猫咪图片.png", "小狗.png"]),
    ],
)
def test_the_one_encoding_in_which_names_make_sense(encoding: str, names: list[str]) -> None:
    raw = [name.encode(encoding) for name in names]
    found = encoding_of(raw)
    assert found is not None
    assert [name.decode(found) for name in raw] == names


@pytest.mark.parametrize("raw", [b"\xff\xfe\x01.png", b"\xb0\xa1.png", b"a\x9d.png"])
def test_what_makes_no_sense_or_sense_in_several_is_not_decided(raw: bytes) -> None:
    assert encoding_of([raw]) is None


def test_folders_in_another_encoding_are_classes_all_the_same(pool: Pool) -> None:
    names = [name.encode("cp866") for name in ("кот/1.png", "собака/2.png")]
    pool.add(zip_named(*names))
    assert [one.name for one in pool.examples()] == ["кот/1.png", "собака/2.png"]
    assert [one.meta["label"] for one in pool.examples()] == ["кот", "собака"]


def test_a_name_that_cannot_be_told_is_named(pool: Pool) -> None:
    job = pool.add(zip_named(b"\xb0\xa1.png", b"plain.png"))
    assert job.result is not None, job.error
    assert job.result["added"] == 2
    (reason,) = job.result["noted"]
    assert "no encoding that can be told" in reason


def test_the_name_that_goes_with_it_in_unicode_is_taken(pool: Pool) -> None:
    raw = b"\xb0\xa1.png"
    field = struct.pack("<BL", 1, zlib.crc32(raw)) + "가.png".encode()
    pool.add(zip_named(raw, extra=struct.pack("<2H", 0x7075, len(field)) + field))
    assert [one.name for one in pool.examples()] == ["가.png"]
