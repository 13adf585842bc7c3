"""What may be uploaded into a pool."""

from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Final

from api.transfers.uploads import receive_up_to
from core.errors import Invalid
from core.files.compression import plain_name
from core.files.storage import Storage
from core.media import MEDIA
from core.media.nouns import noun
from core.settings import Settings
from core.states import Medium, Split
from core.tasks.registry import task_type

_READS: Final[Mapping[Medium, str]] = {
    Medium.IMAGE: (
        "Karat reads .zip, .tar, .parquet, single images, .csv, .tsv and .jsonl with labels, and "
        "the .json of Label Studio and COCO, also compressed (.gz, .bz2, .xz)"
    ),
    Medium.TEXT: (
        "Karat reads texts from .csv, .tsv, .jsonl, .json, .parquet, .zip, .tar, .txt and .md "
        "files, also compressed (.gz, .bz2, .xz)"
    ),
}


def checked_name(filename: str, medium: Medium) -> str:
    """The file name without any path, if its ending is one we read."""
    name = PurePosixPath(filename.replace("\\", "/")).name
    suffix = _plain_suffix(name)
    if suffix not in MEDIA[medium].uploads:
        raise Invalid(
            "invalid_upload",
            f"{_READS[medium]}, not {name or 'a nameless file'!r}.",
            field="filename",
        )
    return name


def _plain_suffix(filename: str) -> str:
    """The ending of a file, as if it were not compressed."""
    return PurePosixPath(plain_name(filename)).suffix.lower()


def check_columns(columns: Mapping[str, str], medium: Medium) -> None:
    """Refuse a column for examples of another medium."""
    for other in Medium:
        if other is medium or other.value not in columns:
            continue
        raise Invalid(
            "wrong_medium",
            f"{other}_column names a column of {noun(other).many}, and this project holds "
            f"{noun(medium).many}; give {medium}_column.",
            field=f"{other}_column",
        )


def require_copied(medium: Medium) -> None:
    """Refuse to leave examples where they lie, where they are kept in the database.

    Raises:
        Invalid: ``wrong_medium``.
    """
    if medium is Medium.TEXT:
        raise Invalid(
            "wrong_medium",
            "Only images can stay where they lie; texts are copied into the database, to be "
            "searched. Send the file or the folder itself.",
            field="location",
        )


def check_annotations(
    filename: str, annotations: Sequence[str], split: Split, medium: Medium = Medium.IMAGE
) -> None:
    """Refuse columns of labels where there can be none."""
    suffix = _plain_suffix(filename)
    field = "annotation_column"
    # Of texts it may be an array of rows.
    no_rows = suffix == ".json" and medium is Medium.IMAGE
    if annotations and (suffix in MEDIA[medium].suffixes or no_rows):
        what = "A JSON document" if no_rows else f"A single {noun(medium).one}"
        raise Invalid("invalid_annotation_column", f"{what} has no columns of labels.", field=field)
    if annotations and split is not Split.POOL:
        raise Invalid(
            "invalid_annotation_column",
            f"Only {noun(medium).many} of the pool are annotated; for the split {split} leave it "
            "out.",
            field=field,
        )


def check_predictions(
    model: str | None, columns: Mapping[str, str], annotations: Sequence[str], task: str
) -> None:
    """Refuse predictions where none can be suggested, or not as they are asked for.

    Raises:
        Invalid: ``invalid_predictions``.
    """
    sure = columns.get("probability")
    if model is None and sure is None:
        return
    field, detail = "predictions", ""
    if model is None:
        field, detail = "probability_column", "Say whose predictions these are with predictions."
    elif not (task_type(task).lists_objects or task_type(task).names_one_class):
        detail = "Only boxes and classes are suggested; this project asks for neither."
    elif len(set(annotations) - {sure}) > 1:
        field = "annotation_column"
        detail = "A model predicts one thing of each example; name the one column that holds it."
    elif sure is not None and not set(annotations) - {sure}:
        field = "annotation_column"
        detail = "Say which column holds what is predicted, beside that of how sure the model is."
    if detail:
        raise Invalid("invalid_predictions", detail, field=field)


async def receive(
    chunks: AsyncIterator[bytes], filename: str, storage: Storage, settings: Settings
) -> str:
    """Write the request body to disk; returns its name under ``storage.upload``."""
    remedy = "split the archive, or raise KARAT_MAX_UPLOAD_BYTES"
    most = settings.max_upload_bytes
    return await receive_up_to(chunks, filename, storage, settings, most=most, remedy=remedy)
