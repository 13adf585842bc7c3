"""Parquet as Hugging Face's ``datasets`` reads it: an image feature, class labels, and votes."""

import io
import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import aclosing
from functools import partial
from typing import Any, Final

import pyarrow as pa
from anyio import to_thread
from pyarrow import parquet

from api.exports.archives import portions, read_all
from api.exports.boxes.placed import boxes_of
from api.exports.documents import dumped
from api.exports.naming import Place
from api.exports.part import Part
from api.exports.records import Images, Record
from api.exports.texts import TEXT
from core.errors import Conflict
from core.files.prefetch import readers
from core.media.originals import Originals
from core.tasks.box_attributes import FLAGS
from core.tasks.box_conventions import COCO
from core.tasks.boxes import BoxesLabel

_ATTRIBUTES: Final = "attributes"
"""What else is said of a box as JSON: names are other ones in every data set."""
_REPEATED: Final = ["verdict", "split", "model_version", "predicted"]
_TIME: Final = pa.timestamp("us", tz="UTC")
_VOTE: Final = {
    "annotator": pa.string(),
    "verdict": pa.string(),
    "class": pa.string(),
    "seconds": pa.float64(),
    "created_at": _TIME,
    "round": pa.int64(),
    "note": pa.string(),
}
_COLUMNS: Final = {
    "image": pa.struct([("bytes", pa.binary()), ("path", pa.string())]),
    "label": pa.int64(),
    "verdict": pa.string(),
    "split": pa.string(),
    "round": pa.int64(),
    "label_source": pa.string(),
    "label_probability": pa.float64(),
    "label_lot": pa.int64(),
    "label_bound": pa.float64(),
    "model_version": pa.string(),
    "predicted": pa.string(),
    "probability": pa.float64(),
    "in_probability": pa.float64(),
    "name": pa.string(),
    "sha256": pa.string(),
    "votes": pa.list_(pa.struct(list(_VOTE.items()))),
    "meta": pa.string(),
}


_TEXT_COLUMNS: Final = {
    TEXT: pa.string(),
    **{name: kind for name, kind in _COLUMNS.items() if name != "image"},
}


_BOX_COLUMNS: Final = {
    **_COLUMNS,
    "label": pa.string(),
    "width": pa.int64(),
    "height": pa.int64(),
    "objects": pa.struct(
        [
            ("bbox", pa.list_(pa.list_(pa.float64()))),
            ("category", pa.list_(pa.int64())),
            *((name, pa.list_(pa.bool_())) for name in FLAGS),
            (_ATTRIBUTES, pa.list_(pa.string())),
        ]
    ),
}


async def parquet_of(
    schema: pa.Schema,
    tables: AsyncGenerator[Callable[[], pa.Table]],
    part: Part | None = None,
    **options: Any,
) -> AsyncIterator[bytes]:
    """A file of ``tables``, each made and written in a thread, and a row group of its own.

    Args:
        schema: Of all.
        tables: What makes each.
        part: What the rows are of; None if they are all.
        options: Of the writer.
    """
    if part is not None:
        told = {"karat": json.dumps({"filters": dict(part.filters)})}
        schema = schema.with_metadata({**(schema.metadata or {}), **told})
    sink = Sink()
    writer = parquet.ParquetWriter(sink, schema, **options)
    async with aclosing(tables):
        async for make in tables:
            await to_thread.run_sync(lambda make: writer.write_table(make()), make)
            yield sink.taken()
    await to_thread.run_sync(writer.close)
    yield sink.taken()


def as_text_parquet(images: Images) -> AsyncIterator[bytes]:
    """A row for each text; a row group holds a few MiB."""
    schema = _schema(_TEXT_COLUMNS, images.class_names)
    numbers = {name: number for number, name in enumerate(images.class_names)}

    async def tables() -> AsyncGenerator[Callable[[], pa.Table]]:
        async for block in images.blocks_with_texts():
            rows = [{**_row(record, numbers), TEXT: text} for record, text in block]
            yield partial(pa.Table.from_pylist, rows, schema)

    return parquet_of(schema, tables(), images.part, compression="zstd", use_dictionary=_REPEATED)


def as_parquet(
    images: Images, originals: Originals, place: Place, *, boxes: bool = False
) -> AsyncIterator[bytes]:
    """A row for each image, without bytes if those are lost; a row group holds a few MiB.

    Args:
        images: Which.
        originals: Where their bytes are.
        place: What their files are called.
        boxes: Whether labels are boxes, which are in the column ``objects``.

    Raises:
        DomainError: As ``read_all``.
    """
    schema = _schema(_BOX_COLUMNS if boxes else _COLUMNS, images.class_names)
    numbers = {name: number for number, name in enumerate(images.class_names)}
    said = partial(_box_row, classes=images.classes) if boxes else partial(_row, numbers=numbers)

    def row(record: Record) -> dict[str, Any]:
        return {**said(record), "image": {"path": place(record, "")}}

    async def tables() -> AsyncGenerator[Callable[[], pa.Table]]:
        with readers() as threads:
            async for block in images.blocks():
                for some in portions(block, originals):
                    contents = partial(read_all, originals, [one.original for one in some], threads)
                    yield partial(_table, schema, row, some, contents)

    # Images are compressed already.
    return parquet_of(schema, tables(), images.part, compression="NONE", use_dictionary=_REPEATED)


def _schema(columns: Mapping[str, pa.DataType], class_names: Sequence[str]) -> pa.Schema:
    features: dict[str, Any] = {name: _value(kind) for name, kind in columns.items()}
    if "image" in columns:
        features["image"] = {"_type": "Image"}
    named = {"names": list(class_names), "_type": "ClassLabel"}
    if "objects" in columns:
        features["objects"] = {
            "bbox": [[{"dtype": "float64", "_type": "Value"}]],
            "category": [named],
            **{name: [{"dtype": "bool", "_type": "Value"}] for name in FLAGS},
            _ATTRIBUTES: [{"dtype": "string", "_type": "Value"}],
        }
    else:
        features["label"] = named
    features["votes"] = [{name: _value(kind) for name, kind in _VOTE.items()}]
    described = {"huggingface": json.dumps({"info": {"features": features}})}
    return pa.schema(list(columns.items()), metadata=described)


def _value(kind: pa.DataType) -> dict[str, str]:
    names = {pa.float64(): "float64", _TIME: "timestamp[us, tz=UTC]"}
    return {"dtype": names.get(kind, str(kind)), "_type": "Value"}


def _table(
    schema: pa.Schema,
    row: Callable[[Record], dict[str, Any]],
    records: Sequence[Record],
    contents: Callable[[], Iterable[bytes | Conflict]],
) -> pa.Table:
    rows = [
        _with_bytes(row(record), None if isinstance(content, Conflict) else content)
        for record, content in zip(records, contents(), strict=True)
    ]
    return pa.Table.from_pylist(rows, schema)


def _with_bytes(row: dict[str, Any], content: bytes | None) -> dict[str, Any]:
    return {**row, "image": {**row["image"], "bytes": content}}


def _box_row(record: Record, classes: Mapping[int, str]) -> dict[str, Any]:
    """Boxes as left, top, width and height in pixels; none at all where nobody has drawn."""
    row = {**_row(record, {}), "label": record.class_name}
    row |= {"width": record.width, "height": record.height, "objects": None}
    if isinstance(record.label, BoxesLabel):
        numbers = {id_: number for number, id_ in enumerate(classes)}
        found = list(boxes_of(record.label, record, COCO, classes))
        row["objects"] = {
            "bbox": [[float(text) for text in values] for _, _, values in found],
            "category": [numbers[box.class_id] for box, _, _ in found],
            **{name: [getattr(box, name) for box, _, _ in found] for name in FLAGS},
            _ATTRIBUTES: [
                dumped(box.attributes) if box.attributes else None for box, _, _ in found
            ],
        }
    return row


def _row(record: Record, numbers: dict[str, int]) -> dict[str, Any]:
    predicted = record.prediction
    return {
        **record.stated(),
        "label": numbers.get(record.class_name or ""),
        "predicted": predicted.class_name if predicted else None,
        "probability": predicted.probability if predicted else None,
        "in_probability": predicted.in_probability if predicted else None,
        "votes": [
            {
                "annotator": vote.annotator,
                "verdict": vote.verdict.in_files,
                "class": vote.class_name,
                "seconds": vote.seconds,
                "created_at": vote.created_at,
                "round": vote.round,
                "note": vote.note,
            }
            for vote in record.votes
        ],
        "meta": json.dumps(record.meta, ensure_ascii=False),
    }


class Sink(io.RawIOBase):
    """Keeps what is written until it is taken, for files that leave while they are made."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._written = 0

    def writable(self) -> bool:
        return True

    def write(self, content: Any, /) -> int:
        piece = bytes(content)
        self._pieces.append(piece)
        self._written += len(piece)
        return len(piece)

    def tell(self) -> int:
        return self._written

    def taken(self) -> bytes:
        """What was written since it was last asked for."""
        pieces, self._pieces = self._pieces, []
        return b"".join(pieces)
