"""What may be uploaded into a pool."""

from collections.abc import AsyncIterator, Sequence
from pathlib import PurePosixPath

from api.uploads import receive_up_to
from core.errors import Invalid
from core.media.image import IMAGES
from core.settings import Settings
from core.states import Split
from core.storage import Storage

ARCHIVES = frozenset({".zip", ".parquet"})
# Say something of images that are there, and bring none.
TABLES = frozenset({".csv", ".jsonl", ".json"})


def checked_name(filename: str) -> str:
    """The file name without any path, if its ending is one we read."""
    name = PurePosixPath(filename.replace("\\", "/")).name
    suffix = PurePosixPath(name).suffix.lower()
    if suffix not in ARCHIVES | IMAGES | TABLES:
        raise Invalid(
            "invalid_upload",
            "Karat reads .zip, .parquet, single images, .csv and .jsonl with labels, and the .json "
            f"of Label Studio and COCO, not {name or 'a nameless file'!r}.",
            field="filename",
        )
    return name


def check_annotations(filename: str, annotations: Sequence[str], split: Split) -> None:
    """Refuse columns of labels where there can be none."""
    suffix = PurePosixPath(filename).suffix.lower()
    field = "annotation_column"
    if annotations and (suffix in IMAGES or suffix == ".json"):
        what = "A JSON document" if suffix == ".json" else "A single image"
        raise Invalid("invalid_annotation_column", f"{what} has no columns of labels.", field=field)
    if annotations and split is not Split.POOL:
        raise Invalid(
            "invalid_annotation_column",
            f"Only images of the pool are annotated; for the split {split} leave it out.",
            field=field,
        )


async def receive(
    chunks: AsyncIterator[bytes], filename: str, storage: Storage, settings: Settings
) -> str:
    """Write the request body to disk; returns its name under ``storage.upload``."""
    remedy = "split the archive, or raise KARAT_MAX_UPLOAD_BYTES"
    most = settings.max_upload_bytes
    return await receive_up_to(chunks, filename, storage, settings, most=most, remedy=remedy)
