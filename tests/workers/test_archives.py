"""Tars, and files that are compressed: what is in them goes where the same files plain go."""

import bz2
import gzip
import io
import lzma
import random
import tarfile
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import DomainError
from core.files.compression import Damaged, compression_of, decompressed, plain_name
from core.states import JobState
from core.tables import Job
from tests.check_cases import put
from tests.workers.import_files import Pool, png, reasons, tarred, zipped
from workers.imports.formats.archives.opening import unpacked
from workers.imports.formats.archives.tar_entries import TarEntries
from workers.imports.formats.folder import FolderSource
from workers.imports.items import Refused

COMPRESSIONS: Mapping[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
}
FILES = {"pool/cat/1.png": png(1), "pool/dog/2.png": png(2), "evaluation/cat/3.png": png(3)}


def imported(pool: Pool, content: bytes, filename: str, **params: Any) -> dict[str, Any]:
    job = pool.add(content, filename, **params)
    assert job.result is not None, job.error
    return {name: job.result[name] for name in ("added", "refused", "duplicates")}


def refusal(job: Job) -> str:
    assert job.state is JobState.FAILED
    assert job.error is not None
    return str(job.error["detail"])


@pytest.mark.parametrize(
    ("name", "plain", "compression"),
    [
        ("a.csv", "a.csv", None),
        ("a.csv.gz", "a.csv", ".gz"),
        ("A.JSONL.GZ", "A.JSONL", ".gz"),
        ("a.b.tar.xz", "a.b.tar", ".xz"),
        ("set.TGZ", "set.tar", ".gz"),
        ("set.tbz2", "set.tar", ".bz2"),
        ("set.txz", "set.tar", ".xz"),
        ("gz", "gz", None),
        (".gz", ".gz", None),
        ("photo.jpg", "photo.jpg", None),
    ],
)
def test_names_say_what_is_inside(name: str, plain: str, compression: str | None) -> None:
    assert (plain_name(name), compression_of(name)) == (plain, compression)


@pytest.mark.parametrize("ending", COMPRESSIONS)
@pytest.mark.parametrize("format_", [tarfile.PAX_FORMAT, tarfile.GNU_FORMAT, tarfile.USTAR_FORMAT])
def test_a_tar_is_read_as_a_zip_of_the_same_files(pool: Pool, ending: str, format_: int) -> None:
    assert imported(pool, zipped(FILES.items()), "a.zip")["added"] == 3
    packed = COMPRESSIONS[ending](tarred(FILES, format_))
    again = imported(pool, packed, f"a.tar{ending}")
    assert again == {"added": 0, "refused": 0, "duplicates": 3}


@given(
    files=st.dictionaries(
        # Names that no archive and no folder means something else by.
        st.text(st.characters(codec="utf-8", categories=("L", "N")), min_size=1, max_size=120),
        st.binary(max_size=2000),
        max_size=8,
    )
)
def test_entries_come_as_they_were_packed(
    files: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("tar") / "a.tar"
    path.write_bytes(tarred(files))
    with closing(TarEntries(path)) as entries:
        for _ in range(2):
            assert {one.name: entries.read(one) for one in entries} == files
        for one in entries:
            stream = entries.open(one)
            assert isinstance(stream, io.BufferedReader)
            with stream:
                assert stream.read() == files[one.name]


def test_paths_links_and_devices_do_no_harm(tmp_path: Path) -> None:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for name in ("../../etc/evil.png", "/root.png", "cats/1.png"):
            member = tarfile.TarInfo(name)
            member.size = 3
            archive.addfile(member, io.BytesIO(b"abc"))
        for kind, name in ((tarfile.SYMTYPE, "cats/passwd.png"), (tarfile.LNKTYPE, "cats/2.png")):
            link = tarfile.TarInfo(name)
            link.type, link.linkname = kind, "/etc/passwd"
            archive.addfile(link)
        for kind in (tarfile.FIFOTYPE, tarfile.CHRTYPE, tarfile.DIRTYPE):
            other = tarfile.TarInfo("cats/other.png")
            other.type = kind
            archive.addfile(other)
    path = tmp_path / "a.tar"
    path.write_bytes(stream.getvalue())
    with closing(FolderSource(TarEntries(path), tmp_path / "work")) as found:
        refused = {one.name: one.refused.reason for one in found.items(0) if one.refused}
        names = [one.name for one in found.items(0)]
    assert names == [
        "../../etc/evil.png", "/root.png", "cats/1.png", "cats/passwd.png", "cats/2.png",
    ]  # fmt: skip
    assert "leads out" in refused["../../etc/evil.png"]
    assert "link" in refused["cats/passwd.png"]
    assert "link" in refused["cats/2.png"]
    assert "cats/1.png" not in refused


def test_a_folder_packed_from_within_is_read_as_it_lies(
    pool: Pool, tmp_path: Path, texts: Pool
) -> None:
    folder = put(
        tmp_path / "set", {**FILES, "1.png": png(9), "a.txt": b"text", "t.csv": b"text\nrow\n"}
    )
    with tarfile.open(tmp_path / "a.tgz", "w:gz") as archive:
        archive.add(folder, ".")
    content = (tmp_path / "a.tgz").read_bytes()
    assert imported(pool, content, "a.tgz")["added"] == 4
    assert {one.name for one in pool.examples()} == {*FILES, "1.png"}
    assert imported(texts, content, "a.tgz")["added"] == 2
    assert texts.contents() == ["row", "text"]


def test_what_lies_behind_the_end_is_not_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "a.tar"
    path.write_bytes(tarred(FILES) + tarred({"4.png": png(4)}))
    with pytest.raises(DomainError, match="several tar archives"):
        TarEntries(path)


def read_whole(path: Path) -> str:
    try:
        with closing(TarEntries(path)) as entries:
            found = [entries.read(one) for one in entries]
    except DomainError as error:
        return error.code
    return "read" if all(isinstance(one, bytes | Refused) for one in found) else "not read"


@pytest.mark.parametrize("headers", [
    {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.realsize": "x"},
    {"GNU.sparse.map": "1,2,x"}, {"GNU.sparse.size": "-5"}, {"size": "-7"},
])  # fmt: skip
def test_malformed_headers_are_refused_in_words(tmp_path: Path, headers: dict[str, str]) -> None:
    path = tmp_path / "a.tar"
    with tarfile.open(path, "w", format=tarfile.PAX_FORMAT) as archive:
        member = tarfile.TarInfo("cat/1.png")
        member.size, member.pax_headers = 600, headers
        archive.addfile(member, io.BytesIO(b"x" * 600))
    assert read_whole(path) in {"read", "invalid_archive"}


def test_a_map_of_holes_takes_no_more_memory_than_its_headers_may(tmp_path: Path) -> None:
    path = tmp_path / "a.tar"
    holes = b"400000\n" + b"1\n1\n" * 400_000
    with tarfile.open(path, "w", format=tarfile.PAX_FORMAT) as archive:
        member = tarfile.TarInfo("cat/1.png")
        member.size = len(holes)
        member.pax_headers = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0"}
        archive.addfile(member, io.BytesIO(holes))
    with pytest.raises(DomainError, match="a header of more than 1 MiB"):
        TarEntries(path)


def test_names_of_another_encoding_are_read(tmp_path: Path) -> None:
    stream = io.BytesIO()
    names = ["고양이/사진하나.png", "강아지/사진둘셋.png"]
    with tarfile.open(
        fileobj=stream, mode="w", format=tarfile.GNU_FORMAT, encoding="euc_kr"
    ) as one:
        for name in names:
            one.addfile(tarfile.TarInfo(name))
    path = tmp_path / "a.tar"
    path.write_bytes(stream.getvalue())
    with closing(TarEntries(path)) as entries:
        assert [(one.name, one.raw) for one in entries] == [(name, b"") for name in names]


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.6])
@pytest.mark.parametrize("ending", COMPRESSIONS)
def test_what_was_cut_off_is_refused_before_anything_is_kept(
    pool: Pool, ending: str, share: float
) -> None:
    packed = COMPRESSIONS[ending](tarred({f"cats/{n}.png": png(n) for n in range(20)}))
    reason = refusal(pool.add(packed[: int(share * len(packed))], f"a.tar{ending}"))
    assert "send it once more" in reason
    assert pool.examples() == []


@pytest.mark.parametrize("ending", [".gz", ".bz2", ".xz"])
def test_a_name_that_promises_a_compression_is_held_to_it(pool: Pool, ending: str) -> None:
    reason = refusal(pool.add(tarred(FILES), f"a.tar{ending}"))
    assert f"a.tar{ending} cannot be unpacked: it is not a whole {ending} file" in reason


def test_what_unpacks_to_too_much_is_refused(tmp_path: Path) -> None:
    path, copy = tmp_path / "a.csv.gz", tmp_path / "copy"
    path.write_bytes(gzip.compress(bytes(5_000_000)))
    with pytest.raises(DomainError, match="unpacks to more than 2 MiB"):
        unpacked(path, "a.csv.gz", copy, 2 << 20)
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("ending", [".gz", ".bz2", ".xz"])
def test_compressed_tables_bring_texts(texts: Pool, ending: str) -> None:
    rows = b'text,label\nA kitten,cat\n"Two\nlines",dog\n'
    packed = COMPRESSIONS[ending](rows)
    assert imported(texts, packed, f"a.csv{ending}", annotations=["label"])["added"] == 2
    assert texts.contents() == ["A kitten", "Two\nlines"]
    more = COMPRESSIONS[ending](tarred({"a.jsonl": b'{"text": "Third"}\n', "b.txt": b"Fourth"}))
    assert imported(texts, more, f"more.tar{ending}")["added"] == 2
    assert texts.contents()[2:] == ["Third", "Fourth"]


def test_a_header_that_would_fill_the_memory_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.tar"
    with tarfile.open(path, "w") as archive:
        member = tarfile.TarInfo("cat/1.png")
        member.pax_headers = {"comment": "x" * (2 << 20)}
        archive.addfile(member)
    with pytest.raises(DomainError, match="a header of more than 1 MiB"):
        TarEntries(path)


@pytest.mark.parametrize("ending", [".gz", ".bz2", ".xz"])
@pytest.mark.parametrize("size", [0, 1, 70_000, 3_000_000])
def test_whatever_was_compressed_comes_out_whole_or_not_at_all(
    tmp_path: Path, ending: str, size: int
) -> None:
    content = random.Random(size).randbytes(size // 2) + bytes(size - size // 2)
    compress, path = COMPRESSIONS[ending], tmp_path / f"it{ending}"
    for packed, plain in (
        (compress(content), content),
        # One behind the other, as joined logs are.
        (compress(content) + compress(b"more"), content + b"more"),
    ):
        path.write_bytes(packed)
        assert b"".join(decompressed(path, ending, 1 << 14)) == plain
        for cut in (1, 3, 10):
            path.write_bytes(packed[:-cut])
            with pytest.raises(Damaged):
                list(decompressed(path, ending))


def test_a_header_that_asks_for_gigabytes_gets_none(tmp_path: Path) -> None:
    path = tmp_path / "it.xz"
    filters = [{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 30}]
    path.write_bytes(lzma.compress(b"x", filters=filters))
    with pytest.raises(Damaged, match=r"[Mm]emory"):
        list(decompressed(path, ".xz"))


def test_a_compressed_table_labels_what_is_there(pool: Pool) -> None:
    imported(pool, zipped(FILES.items()), "a.zip")
    rows = b"file,label\npool/cat/1.png,dog\npool/dog/2.png,cat\n"
    job = pool.add(gzip.compress(rows), "labels.csv.gz", annotations=["label"])
    assert job.result is not None, job.error
    assert job.result["annotations"] == 2
    assert reasons(job.result) == {}
