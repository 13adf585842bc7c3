"""Every label as a row, for programs and spreadsheets."""

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from core.files.csv_escape import BOM, plain_row
from core.states import Medium
from models.protocols import OOD
from workers.check.gather import Gathered
from workers.check.judging import Judged, JudgedLabel

NO_CLASS: Final = "ood"
"""What belongs to no class is written so, as in exports."""

SCHEMA: Final = pa.schema(
    [
        ("rank", pa.int64()),
        ("file", pa.string()),
        ("given", pa.string()),
        ("proposed", pa.string()),
        ("wrong_probability", pa.float32()),
        ("proposed_probability", pa.float32()),
        ("listed", pa.bool_()),
        ("other_labels", pa.string()),
        ("same_image_as", pa.string()),
        ("note", pa.string()),
    ]
)
_UNLABELED: Final = "it has no label"
SAME: Final = "same_image_as"


def schema_of(medium: Medium) -> pa.Schema:
    """The columns, called after what was checked."""
    same = f"same_{medium}_as"
    return pa.schema([one.with_name(same) if one.name == SAME else one for one in SCHEMA])


def class_name(gathered: Gathered, label: int) -> str:
    """What a label is called in files."""
    return NO_CLASS if label == OOD else gathered.classes[label]


def rows(gathered: Gathered, judged: Judged, share: float) -> Iterator[tuple[Any, ...]]:
    """One row for each label of a file, in the order to look at them; then files without one.

    Args:
        gathered: What was read.
        judged: What was said of it.
        share: A label is listed if it is wrong with this probability at least.

    Yields:
        Values by ``SCHEMA``.
    """
    for rank, one in enumerate(judged.verdicts, 1):
        yield _row(gathered, one, rank, share)
    for name in gathered.unlabeled:
        yield (None, name, None, None, None, None, False, None, None, _UNLABELED)


def _row(gathered: Gathered, one: JudgedLabel, rank: int, share: float) -> tuple[Any, ...]:
    file, first = one.given.file, gathered.names[one.given.image]
    return (
        None if one.wrong is None else rank,
        file,
        class_name(gathered, one.given.label),
        None if one.proposed is None else class_name(gathered, one.proposed),
        one.wrong,
        one.likely,
        one.wrong is not None and one.wrong >= share,
        ", ".join(class_name(gathered, other) for other in one.others) or None,
        None if first == file else first,
        one.why_not or None,
    )


def write_csv(path: Path, table: Sequence[tuple[Any, ...]], schema: pa.Schema = SCHEMA) -> None:
    """Write a CSV that spreadsheets read as UTF-8 and take no cell of for a formula."""
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(BOM)
        writer = csv.writer(file)
        writer.writerow(schema.names)
        writer.writerows(_written(row) for row in table)


def _written(row: tuple[Any, ...]) -> list[Any]:
    cells = (f"{one:.4f}" if isinstance(one, float) else one for one in row)
    return plain_row("" if one is None else one for one in cells)


def write_parquet(path: Path, table: Sequence[tuple[Any, ...]], schema: pa.Schema = SCHEMA) -> None:
    """Write a Parquet file of the same rows."""
    columns = list(zip(*table, strict=True)) or [() for _ in schema.names]
    arrays = [
        pa.array(column, type=field.type) for column, field in zip(columns, schema, strict=True)
    ]
    found = pa.Table.from_arrays(arrays, schema=schema)
    pq.write_table(found, path, compression="zstd")
