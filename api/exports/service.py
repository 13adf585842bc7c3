"""Which export is made of what."""

from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from sqlalchemy import ColumnElement, FromClause, and_, distinct, func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from api.exports import archives, instructions, tables
from api.exports.boxes.beside import Beside, Cvat, Voc, Yolo
from api.exports.boxes.classes import each_box
from api.exports.boxes.documents import CocoBoxes, LabelStudioBoxes
from api.exports.documents import (
    Coco,
    Doccano,
    Document,
    LabelStudio,
    Metadata,
    in_local_files,
    labeling_config,
)
from api.exports.folders import ClassFolders, SplitFolders
from api.exports.naming import WHOLE, Place, Scheme, in_class_folders, in_folders
from api.exports.parquet import as_parquet, as_text_parquet
from api.exports.records import Images, Record
from api.exports.schemas import ExportedClass, ExportFormat
from api.exports.taken import TakenImages, taken_table
from api.schemas.contents import JSON_LINES, PARQUET
from core.errors import Invalid
from core.files.folder_names import LABELING_CONFIG, folders_of
from core.media.nouns import noun
from core.media.originals import Originals
from core.states import ExampleState, Medium, Split
from core.tables import Example, ProjectClass
from core.tasks.classification import CLASSIFICATION
from core.tasks.registry import task_type
from core.tasks.spec import InFiles

_ZIP: Final = "application/zip"


class Format(StrEnum):
    CSV = "csv"
    JSONL = "jsonl"
    IMAGEFOLDER = "imagefolder"
    YOLO = "yolo"
    COCO = "coco"
    LABEL_STUDIO = "label_studio"
    PARQUET = "parquet"
    DOCCANO = "doccano"
    VOC = "voc"
    CVAT = "cvat"
    ALPACA = "alpaca"
    MESSAGES = "messages"
    RANKINGS = "rankings"


TABLES: Final = (Format.CSV, Format.JSONL)
_WITH_PICTURES: Final = frozenset(
    {Format.IMAGEFOLDER, Format.YOLO, Format.COCO, Format.VOC, Format.CVAT}
)
_OF_BOXES: Final = frozenset(
    {*TABLES, Format.COCO, Format.YOLO, Format.VOC, Format.LABEL_STUDIO, Format.CVAT}
    | {Format.PARQUET}
)
_OF_BOXES_ALONE: Final = frozenset({Format.VOC, Format.CVAT})
_OF_ROWS_ALONE: Final = frozenset({Format.ALPACA, Format.MESSAGES, Format.RANKINGS})
_OF_ROWS: Final = frozenset({*_OF_ROWS_ALONE, Format.PARQUET})
_HOLDING: Final[Mapping[InFiles, frozenset[Format]]] = {"rectangles": _OF_BOXES, "rows": _OF_ROWS}
_WITH_TEXTS: Final = frozenset({Format.DOCCANO, *_OF_ROWS_ALONE})


def media_of(format: Format) -> list[Medium]:
    """The media that a format can hold."""
    if format in _WITH_PICTURES:
        return [Medium.IMAGE]
    return [Medium.TEXT] if format in _WITH_TEXTS else list(Medium)


def refusal(format: Format, medium: Medium, task: str) -> str | None:
    """Why a format cannot hold the examples of a project, or their labels; None if it can."""
    served = _formats_of(task)
    others = ", ".join(one for one in served if medium in media_of(one))
    if medium not in media_of(format):
        what = "files of pictures" if medium is Medium.TEXT else "texts"
        return (
            f"The format {format} is made of {what}, and this project holds {noun(medium).many}; "
            f"choose one of {others}."
        )
    if format in served:
        return None
    if task_type(task).in_files == "rows":
        return (
            f"The format {format} has no place for rows of instruction data and their rankings; "
            f"choose one of {others}."
        )
    if format in _OF_ROWS_ALONE:
        return (
            f"The format {format} is made of rows of instruction data, and the labels of this "
            f"project are of the type {task}; choose one of {others}."
        )
    what = "boxes" if format in _OF_BOXES_ALONE else "classes"
    return (
        f"The format {format} has a place for {what} only, and the labels of this project "
        f"are of the type {task}; choose one of {others}."
    )


def _formats_of(task: str) -> list[Format]:
    """The formats that have a place for labels of a type."""
    kind = task_type(task)
    if kind.in_files is not None:
        return [one for one in Format if one in _HOLDING[kind.in_files]]
    if not kind.names_one_class:
        return [*TABLES]
    return [one for one in Format if one not in _OF_BOXES_ALONE | _OF_ROWS_ALONE]


def require_served(format: Format, medium: Medium, task: str) -> None:
    """Refuse a format that cannot hold the examples of a project, or their labels.

    Raises:
        Invalid: ``wrong_medium``, or ``wrong_task``.
    """
    reason = refusal(format, medium, task)
    if reason is not None:
        code = "wrong_task" if medium in media_of(format) else "wrong_medium"
        raise Invalid(code, reason, field="format")


def formats(medium: Medium, task: str) -> list[ExportFormat]:
    """Every format, and why those are refused that cannot hold what a project has."""
    return [
        ExportFormat(name=one, media=media_of(one), refused=refusal(one, medium, task))
        for one in Format
    ]


@dataclass(frozen=True)
class Download:
    """A file on its way."""

    body: AsyncIterator[str] | AsyncIterator[bytes]
    filename: str
    media_type: str


async def exported_classes(
    session: AsyncSession, project_id: int, task: str = CLASSIFICATION.name
) -> list[ExportedClass]:
    """The classes in their order, and how many images show each in either split."""
    named = await class_names(session, project_id)
    shown: ColumnElement[Any] = Example.label_class_id.expression
    images: FromClause = Example.__table__
    if task_type(task).lists_objects:
        shown, images = each_box()
    statement = (
        select(shown, Example.split, func.count(distinct(Example.id)))
        .select_from(images)
        .where(
            Example.project_id == project_id,
            or_(
                Example.split == Split.EVALUATION,
                and_(Example.split == Split.POOL, Example.state == ExampleState.LABELED),
            ),
        )
        .group_by(shown, Example.split)
    )
    found = {(id_, split): count for id_, split, count in await session.execute(statement)}
    folders = folders_of(named.values())
    return [
        ExportedClass(
            id=id_,
            name=name,
            number=number,
            folder=folders[name],
            labeled=found.get((id_, Split.POOL), 0),
            evaluation=found.get((id_, Split.EVALUATION), 0),
        )
        for number, (id_, name) in enumerate(named.items())
    ]


async def class_names(session: AsyncSession, project_id: int) -> dict[int, str]:
    """Names of the classes by their ids, in their order."""
    statement = (
        select(ProjectClass.id, ProjectClass.name)
        .where(ProjectClass.project_id == project_id)
        .order_by(ProjectClass.position)
    )
    return dict((await session.execute(statement)).all())


def as_table(
    images: Images,
    format: Format,
    task: str,
    *,
    only_effective: bool,
    bom: bool,
    texts: bool,
    between: tuple[int, int] | None,
) -> Download:
    """Annotations as CSV or JSONL, of texts with all of each."""
    table = tables.Table(
        images.sessions,
        images.project_id,
        images.classes,
        by_class=task_type(task).names_one_class,
        only_effective=only_effective,
        texts=texts,
        people_only=images.people_only,
        between=between,
        part=images.part,
    )
    if isinstance(images, TakenImages):
        table = taken_table(images, table)
    body = tables.as_csv(table, bom=bom) if format is Format.CSV else tables.as_jsonl(table)
    return Download(
        body,
        f"{images.named}.{format}",
        "text/csv" if format is Format.CSV else JSON_LINES,
    )


async def as_images(
    images: Images, originals: Originals, format: Format, task: str = CLASSIFICATION.name
) -> Download:
    """Images with what is known of them.

    Args:
        images: Which.
        originals: Where their bytes are.
        format: What is made of them.
        task: The project's type of labels.
    """
    name = images.named
    if task_type(task).in_files == "rectangles":
        return await _as_boxes(images, originals, format, name)
    if format is Format.PARQUET:
        place = await in_folders(images.sessions, images.project_id, WHOLE)
        body = as_parquet(images, originals, place)
        return Download(body, f"{name}.parquet", PARQUET)
    if format is not Format.IMAGEFOLDER:
        name = f"{name}-{_word(format)}"
    if format in (Format.IMAGEFOLDER, Format.YOLO):
        of = SplitFolders if format is Format.YOLO else ClassFolders
        place = await in_class_folders(images.sessions, images.project_id)
        folders = of(images.class_names, place)
        body = archives.as_zip(
            images, originals, folders.place, Metadata(), folders.kept(), folders.texts
        )
    elif format is Format.COCO:
        place = await in_folders(images.sessions, images.project_id)
        document: Document = Coco(images.class_names, images.part)
        body = archives.as_zip(images, originals, _in_one_folder(place), document)
    else:
        place = await in_folders(images.sessions, images.project_id)
        document = LabelStudio(in_local_files(name), images.classes)
        config = (LABELING_CONFIG, labeling_config(images.class_names))
        body = archives.as_zip(
            images, originals, _in_one_folder(place), document, more=lambda _: [config]
        )
    return Download(body, f"{name}.zip", _ZIP)


async def _as_boxes(images: Images, originals: Originals, format: Format, name: str) -> Download:
    kinds: dict[Format, type[Beside]] = {Format.YOLO: Yolo, Format.VOC: Voc, Format.CVAT: Cvat}
    scheme = WHOLE if format is Format.PARQUET else Scheme()
    if format in kinds:
        scheme = kinds[format].scheme
    place = await in_folders(images.sessions, images.project_id, scheme)
    if format is Format.PARQUET:
        body = as_parquet(images, originals, place, boxes=True)
        return Download(body, f"{name}.parquet", PARQUET)
    name = f"{name}-{_word(format)}"
    if format is Format.COCO:
        document: Document = CocoBoxes(images.classes, images.part)
        body = archives.as_zip(images, originals, _in_one_folder(place), document)
    elif format is Format.LABEL_STUDIO:
        document = tasks = LabelStudioBoxes(in_local_files(name), images.classes)

        def interface(_: archives.Written) -> archives.Texts:
            asked = labeling_config(images.class_names, boxes=True, of_regions=tasks.controls)
            yield LABELING_CONFIG, asked

        body = archives.as_zip(images, originals, _in_one_folder(place), document, more=interface)
    else:
        beside = kinds[format](images.classes, place)
        body = archives.as_zip(images, originals, beside.place, beside, more=beside.texts)
    return Download(body, f"{name}.zip", _ZIP)


def _in_one_folder(place: Place) -> Callable[[Record], str]:
    return lambda record: place(record, "images")


def as_rows(images: Images, format: Format) -> Download:
    """Instruction data as tuning libraries read it, or what people said of its rows."""
    name = images.named
    if format is Format.PARQUET:
        return Download(instructions.as_parquet(images), f"{name}.parquet", PARQUET)
    if format is Format.RANKINGS:
        body = instructions.as_rankings(images)
    else:
        line = instructions.ALPACA if format is Format.ALPACA else instructions.MESSAGES
        body = instructions.as_lines(images, line)
    return Download(body, f"{name}-{format}.jsonl", JSON_LINES)


def as_texts(images: Images, format: Format, *, with_config: bool) -> Download:
    """Texts with what is known of them; Label Studio's with the interface for it, if wanted."""
    name = images.named
    if format is Format.PARQUET:
        return Download(as_text_parquet(images), f"{name}.parquet", PARQUET)
    if format is Format.DOCCANO:
        body = archives.as_texts(images, Doccano())
        return Download(body, f"{name}-doccano.jsonl", JSON_LINES)
    document = LabelStudio(lambda _, text: text, images.classes, shows="text")
    name = f"{name}-{_word(format)}"
    if with_config:
        config = (LABELING_CONFIG, labeling_config(images.class_names, "text"))
        return Download(archives.as_text_zip(images, document, [config]), f"{name}.zip", _ZIP)
    return Download(archives.as_texts(images, document), f"{name}.json", "application/json")


def as_document(
    images: Images, format: Format, base_url: str, task: str = CLASSIFICATION.name
) -> Download:
    """What is known of the images as COCO or Label Studio write it, without the images.

    Args:
        images: Which.
        format: One of the two.
        base_url: Of this installation, with a slash at its end.
        task: The project's type of labels.
    """

    def address(record: Record, _: str) -> str:
        return f"{base_url}api/examples/{record.example_id}/image"

    document: Document
    is_coco = format is Format.COCO
    if task_type(task).in_files == "rectangles":
        document = (
            CocoBoxes(images.classes, images.part)
            if is_coco
            else LabelStudioBoxes(address, images.classes)
        )
    elif format is Format.COCO:
        document = Coco(images.class_names, images.part)
    else:
        document = LabelStudio(address, images.classes)
    filename = f"{images.named}-{_word(format)}.json"
    return Download(archives.as_document(images, document), filename, "application/json")


def _word(format: Format) -> str:
    return format.replace("_", "-")
