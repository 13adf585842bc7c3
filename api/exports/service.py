"""Which export is made of what."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from api.exports import archives, tables
from api.exports.documents import (
    Coco,
    Document,
    LabelStudio,
    Metadata,
    in_local_files,
    labeling_config,
)
from api.exports.parquet import as_parquet
from api.exports.records import Images
from core.originals import Originals

_ZIP: Final = "application/zip"


class Format(StrEnum):
    CSV = "csv"
    JSONL = "jsonl"
    IMAGEFOLDER = "imagefolder"
    YOLO = "yolo"
    COCO = "coco"
    LABEL_STUDIO = "label_studio"
    PARQUET = "parquet"


@dataclass(frozen=True)
class Download:
    """A file on its way."""

    body: AsyncIterator[str] | AsyncIterator[bytes]
    filename: str
    media_type: str


def as_table(images: Images, format: Format, *, only_effective: bool) -> Download:
    """Annotations as CSV or JSONL."""
    write = tables.as_csv if format is Format.CSV else tables.as_jsonl
    return Download(
        write(images.sessions, images.project_id, only_effective=only_effective),
        f"karat-project-{images.project_id}.{format}",
        "text/csv" if format is Format.CSV else "application/jsonl",
    )


def as_images(images: Images, originals: Originals, format: Format) -> Download:
    """Images with what is known of them."""
    name = f"karat-project-{images.project_id}"
    if format is Format.PARQUET:
        body = as_parquet(images, originals)
        return Download(body, f"{name}.parquet", "application/vnd.apache.parquet")
    if format is Format.IMAGEFOLDER:
        place = archives.in_class_folders(images.class_names)
        return Download(archives.as_zip(images, originals, place, Metadata()), f"{name}.zip", _ZIP)
    name = f"{name}-{_word(format)}"
    if format is Format.YOLO:
        place = archives.in_split_folders(images.class_names)
        return Download(archives.as_zip(images, originals, place, Metadata()), f"{name}.zip", _ZIP)
    if format is Format.COCO:
        document: Document = Coco(images.class_names)
        more = []
    else:
        document = LabelStudio(in_local_files(name))
        more = [("labeling-config.xml", labeling_config(images.class_names))]
    body = archives.as_zip(images, originals, archives.in_one_folder, document, more)
    return Download(body, f"{name}.zip", _ZIP)


def as_document(images: Images, format: Format, base_url: str) -> Download:
    """What is known of the images as COCO or Label Studio write it, without the images.

    Args:
        images: Which.
        format: One of the two.
        base_url: Of this installation, with a slash at its end.
    """
    document: Document = (
        Coco(images.class_names)
        if format is Format.COCO
        else LabelStudio(lambda one, _: f"{base_url}api/examples/{one.example_id}/image")
    )
    filename = f"karat-project-{images.project_id}-{_word(format)}.json"
    return Download(archives.as_document(images, document), filename, "application/json")


def _word(format: Format) -> str:
    return format.replace("_", "-")
