"""Tables of a few kilobytes that stand for gigabytes: bounded before anything is made of them."""

import json
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from core.errors import Invalid
from tests.workers.import_files import Pool, png, reasons
from tests.world import World
from workers.imports.formats.parquet.bounds import BoundedParquet, rows_at_once
from workers.imports.formats.parquet.source import ParquetSource
from workers.imports.meta import extras

ROWS: Final = 100_000
# Beyond what the interpreter and its libraries hold; what they map is not counted.
MOST_BYTES: Final = 512 << 20
READ: Final = """
import json, resource, sys
from pathlib import Path
from workers.imports.formats.parquet.source import ParquetSource
from workers.imports.formats.table import TableSource
from workers.imports.batch import _MOST_ITEMS

def peak():
    # Not ru_maxrss, which begins with what the parent had.
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) >> 10

path, annotations, most = Path(sys.argv[1]), sys.argv[2].split(), int(sys.argv[3])
held = int(Path("/proc/self/statm").read_text().split()[5]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_DATA, (held + most, held + most))
before = peak()
kind = ParquetSource if path.suffix == ".parquet" else TableSource
source = kind(path, path.name, {}, annotations)
source.values
batch, seen, refused = [], 0, set()
for item in source.items(0):
    batch = [*batch[1 - _MOST_ITEMS:], item]
    seen += 1
    if item.refused:
        refused.add(item.refused.reason)
    if seen == 1500:
        break
grown = peak() - before
print(json.dumps({"seen": seen, "refused": sorted(refused), "grown_mib": grown}))
"""


def read(path: Path, annotations: str) -> dict[str, Any]:
    """What a process comes to that reads the file and may take ``MOST_BYTES`` for it."""
    command = [sys.executable, "-c", READ, str(path), annotations, str(MOST_BYTES)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    found: dict[str, Any] = json.loads(done.stdout)
    assert found["grown_mib"] <= MOST_BYTES >> 20
    return found


def shared(value: str, rows: int = ROWS) -> pa.Array:
    """A value that all rows share, and the file has once."""
    return pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int32()), pa.array([value]))


def votes(value: str, each: int, rows: int) -> pa.Array:
    of_votes = [shared("class", each * rows), shared(value, each * rows)]
    struct = pa.StructArray.from_arrays(of_votes, ["verdict", "class"])
    return pa.ListArray.from_arrays(pa.array(range(0, each * rows + 1, each), pa.int32()), struct)


def bomb(path: Path, columns: Mapping[str, Any]) -> Path:
    parquet.write_table(
        pa.table(dict(columns)),
        path,
        compression="zstd",
        dictionary_pagesize_limit=1 << 30,
        store_schema=False,
    )
    assert path.stat().st_size < 64 << 10
    return path


BOMBS: Final[Mapping[str, tuple[str, Callable[[], Mapping[str, Any]], Sequence[str]]]] = {
    "label": (
        "label",
        lambda: {"file": shared("a.png"), "label": shared("x" * (4 << 20))},
        ["column label holds more than 64 KiB of text"],
    ),
    "labels": (
        " ".join(f"of{number}" for number in range(30)),
        lambda: {
            "file": shared("a.png"),
            **{f"of{number}": shared("x" * (60 << 10)) for number in range(30)},
        },
        ["the row holds more than 1 MiB of text"],
    ),
    "extra": (
        "label",
        lambda: {
            "file": shared("a.png"),
            "label": shared("cat"),
            "html": shared("x" * (4 << 20)),
        },
        [],
    ),
    "votes": (
        "",
        lambda: {"file": shared("a.png", 1500), "votes": votes("x" * (60 << 10), 200, 1500)},
        ["the row holds more than 1 MiB of text"],
    ),
    "many votes": (
        "",
        lambda: {"file": shared("a.png", 1500), "votes": votes("cat", 2000, 1500)},
        ["column votes has more than 1000 elements"],
    ),
    "lists": (
        "label",
        lambda: {
            "file": shared("a.png", 1500),
            "label": pa.ListArray.from_arrays(
                pa.array(range(0, 300_001, 200), pa.int32()), shared("x" * (60 << 10), 300_000)
            ),
        },
        ["the row holds more than 1 MiB of text"],
    ),
    "unused": (
        "label",
        lambda: {
            "file": shared("a.png", 1500),
            "label": shared("cat", 1500),
            "deep": votes("x" * (4 << 20), 2000, 1500),
        },
        [],
    ),
    "unused part": (
        "",
        lambda: {
            "file": shared("a.png", 1500),
            "verdict": shared("ood", 1500),
            "predicted": shared("x" * (4 << 20), 1500),
            "meta": pa.StructArray.from_arrays([votes("x" * (1 << 20), 500, 1500)], ["deep"]),
        },
        [],
    ),
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_parquet_file_is_no_larger_in_memory_than_the_limits(name: str, tmp_path: Path) -> None:
    annotations, columns, refused = BOMBS[name]
    found = read(bomb(tmp_path / "bomb.parquet", columns()), annotations)
    assert found["seen"] == 1500
    assert found["refused"] == refused


def test_rows_of_a_parquet_file_that_hold_too_much_are_refused_by_name(
    pool: Pool, tmp_path: Path
) -> None:
    rows = {
        "image": [png(seed) for seed in range(4)],
        "file": [f"{seed}.png" for seed in range(4)],
        "ada": ["cat", "x" * (70 << 10), "dog", None],
        "html": ["y" * (70 << 10)] * 4,
    }
    file = tmp_path / "some.parquet"
    parquet.write_table(pa.table(rows), file)
    job = pool.add(file.read_bytes(), "some.parquet", annotations=("ada",))
    assert job.result is not None, job.error
    assert reasons(job.result) == {"some.parquet#1": "column ada holds more than 64 KiB of text"}
    assert [(one.name, one.meta) for one in pool.examples()] == [
        ("0.png", {}), ("2.png", {}), ("3.png", {}),
    ]  # fmt: skip


def read_here(file: Path, annotations: Sequence[str]) -> None:
    with closing(ParquetSource(file, file.name, {}, annotations)) as source:
        assert list(source.items(0))


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        (
            lambda: {"file": shared("a.png", 5_000_001), "label": shared("cat", 5_000_001)},
            "5,000,001 rows",
        ),
        (
            lambda: {"file": shared("a.png", 1), "label": shared("x" * (65 << 20), 1)},
            "page of 65 MiB",
        ),
        (
            lambda: {"file": shared("a.png", 1), "votes": votes("cat", 5_000_000, 1)},
            "5,000,000 elements",
        ),
    ],
    ids=["rows", "page", "elements"],
)
def test_a_parquet_file_beyond_the_limits_is_refused_as_a_whole(
    columns: Callable[[], Mapping[str, Any]], said: str, tmp_path: Path
) -> None:
    made = columns()
    file = bomb(tmp_path / "bomb.parquet", made)
    with pytest.raises(Invalid, match=said) as refused:
        read_here(file, () if "votes" in made else ("label",))
    assert refused.value.code == "invalid_archive"


@pytest.fixture
def pool(world: World) -> Pool:
    return Pool(world.session, world.storage, world.project())


@settings(max_examples=60, deadline=None)
@given(
    values=st.lists(st.text(max_size=200), min_size=1, max_size=80),
    times=st.integers(1, 40),
    codec=st.sampled_from(["none", "snappy", "gzip", "zstd"]),
    version=st.sampled_from(["1.0", "2.0"]),
    use_dictionary=st.booleans(),
    page=st.sampled_from([64, 1 << 10, 1 << 20]),
    group=st.integers(20, 4000),
)
def test_pages_are_measured_from_their_own_headers(
    tmp_path_factory: pytest.TempPathFactory,
    values: list[str],
    times: int,
    codec: str,
    version: str,
    use_dictionary: bool,
    page: int,
    group: int,
) -> None:
    file = tmp_path_factory.mktemp("pages") / "some.parquet"
    column = values * times
    table = pa.table({"text": column, "bytes": [one.encode() for one in column]})
    parquet.write_table(
        table,
        file,
        compression=codec,
        data_page_version=version,
        data_page_size=page,
        use_dictionary=use_dictionary,
        row_group_size=group,
    )
    bounded = BoundedParquet(file)
    longest = max(len(one.encode()) for one in column)
    found: list[str] = []
    with parquet.ParquetFile(file) as plain:
        for number in range(plain.num_row_groups):
            for index, name in enumerate(("text", "bytes")):
                stored = plain.metadata.row_group(number).column(index)
                chunk = bounded._chunk(number, name)
                assert chunk.values == stored.num_values
                # The footer counts the headers as well.
                assert stored.total_uncompressed_size >= chunk.total
                assert 1 <= rows_at_once([chunk], 256) <= 256
                if plain.num_row_groups == 1:
                    assert chunk.largest >= longest
    for _, batch in bounded.batches(["text"]):
        found += [
            row["text"] for row in bounded.rows(batch, ("text",), 1) if not isinstance(row, str)
        ]
    bounded.close()
    assert found == column


def test_long_lines_of_json_are_refused_by_name(tmp_path: Path) -> None:
    file = tmp_path / "bomb.jsonl"
    fine = '{"file": "a.png", "verdict": "ood"}\n'
    long = '{"file": "a.png", "verdict": "ood", "z": [' + "[]," * 1_000_000 + "[]]}\n"
    with file.open("w") as stream:
        stream.writelines([fine, *[long] * 40, fine])
    found = read(file, "")
    assert (found["seen"], found["refused"]) == (42, ["is longer than 1 MiB"])


def test_the_extras_of_a_row_are_bounded() -> None:
    assert len(extras({str(number): 1 for number in range(50_000)})) == 1000
    assert extras({"k" * 2000: 1, "text": "x" * 2000, "n": 1}) == {"n": 1}
