"""What an import reads from, by its parameters and the medium of its project."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Final

from sqlalchemy import select

from core.errors import Invalid
from core.files.buckets import Buckets
from core.files.storage import fill, write_atomically
from core.jobs.imports import ImportParams
from core.media.originals import Originals
from core.settings.locations import Location, require_allowed
from core.states import Medium
from core.tables import Example, Project
from core.tasks.registry import task_type
from workers.imports.bucket import Bucket, BucketSource, Listing
from workers.imports.formats.archives.opening import ARCHIVES, open_archive, unpacked
from workers.imports.formats.documents import SUFFIX, DocumentSource
from workers.imports.formats.folder import FolderSource
from workers.imports.formats.lines import MOST_LINE, OF_BOXES, PLAIN, Lines
from workers.imports.formats.single import SingleSource
from workers.imports.formats.table import TABLES, TableSource
from workers.imports.formats.text_table import TABLES as TEXT_TABLES
from workers.imports.formats.text_table import TextTableSource
from workers.imports.formats.text_zip import TextZip
from workers.imports.instructions.source import TABLES as INSTRUCTION_TABLES
from workers.imports.instructions.source import TextTable, instruction_source
from workers.imports.items import Source
from workers.imports.project import ProjectSource
from workers.imports.sync.compare import LISTING, Followed
from workers.jobs.context import JobContext

_ROWS: Final = 10_000


def _stays() -> Invalid:
    return Invalid(
        "wrong_medium",
        "Texts are copied into the project, and cannot stay in a bucket or folder; send the file "
        "itself.",
        field="location",
    )


def _lines(most: int) -> Lines:
    """How lines are read that hold texts of up to ``most`` bytes."""
    # As JSON writes them, one character takes up to six times its room.
    return Lines(max(MOST_LINE, 6 * most + MOST_LINE), is_lenient=True)


def open_source(context: JobContext, *, names_only: bool = False) -> Source:
    """The source of examples and labels of an import.

    Args:
        context: Of the job.
        names_only: Whether names, folders, columns and labels are enough; images stay unread where
            reading them is work.

    Raises:
        DomainError: ``upload_missing``, ``invalid_archive``, ``invalid_column`` or
            ``unknown_folder``; of a bucket also what ``Buckets`` raises, and
            ``location_not_allowed`` once it is no longer allowed.
    """
    params = ImportParams.of(context)
    if params.project is not None:
        originals = Originals(context.storage, Buckets(context.settings))
        return ProjectSource(context.sessions, originals, params.project)
    medium, task = _project(context)
    in_files = task_type(task).in_files
    if medium is Medium.TEXT:
        if in_files == "rows":
            return _instructions(context, params)
        return _texts(context, params, names_only)
    boxes = in_files == "rectangles"
    of_model = params.predictions is not None
    how = OF_BOXES if boxes else PLAIN
    if params.location is not None:
        return _bucket(context, params, params.location, how, names_only)
    annotations = params.read_columns
    path, filename = _upload(context, params)
    suffix = Path(filename).suffix.lower()
    if suffix in ARCHIVES:
        return FolderSource(
            open_archive(path, filename, context.settings.max_upload_bytes),
            context.work,
            annotations,
            params.folder_split,
            _pool(context),
            boxes=boxes,
            sidecars=not boxes,
            of_model=of_model,
            how=how,
        )
    if suffix == ".parquet":
        from workers.imports.formats.parquet.source import (
            ParquetSource,  # only here: Arrow's functions are 9 MB
        )

        return ParquetSource(
            path, filename, params.columns, annotations, names_only=names_only, boxes=boxes
        )
    if suffix in TABLES:
        return TableSource(path, filename, params.columns, annotations, how)
    if suffix == SUFFIX:
        return DocumentSource(
            path, filename, context.work, _pool(context), boxes=boxes, of_model=of_model
        )
    return SingleSource(path, filename)


def _project(context: JobContext) -> tuple[Medium, str]:
    statement = select(Project.medium, Project.task).where(Project.id == context.project_id)
    with context.sessions() as session:
        medium, task = session.execute(statement).one()
    return medium, task


def _instructions(context: JobContext, params: ImportParams) -> Source:
    """The source of an import into a project of instruction data."""
    if params.location is not None:
        raise _stays()
    if params.read_columns:
        raise Invalid(
            "invalid_column",
            "Columns of instruction data become no labels: rankings are read where a file compares "
            "answers, and other columns stay with rows as they are.",
            field="annotations",
        )
    path, filename = _upload(context, params)
    most = context.settings.max_text_bytes

    def table(path: Path, name: str) -> Source:
        if Path(name).suffix.lower() == ".parquet":
            from workers.imports.instructions.parquet import ParquetTable  # as below

            return instruction_source(ParquetTable(path, most), name, most)
        return instruction_source(TextTable(path, name, _lines(most)), name, most)

    suffix = Path(filename).suffix.lower()
    if suffix in ARCHIVES:
        archive = open_archive(path, filename, context.settings.max_upload_bytes)
        return TextZip(archive, context.work, (), params.folder_split, table)
    if suffix in INSTRUCTION_TABLES:
        return table(path, filename)
    return SingleSource(path, filename)


def _texts(context: JobContext, params: ImportParams, names_only: bool) -> Source:
    """The source of an import into a project of texts."""
    if params.location is not None:
        raise _stays()
    path, filename = _upload(context, params)
    suffix = Path(filename).suffix.lower()
    how = _lines(context.settings.max_text_bytes)

    def table(path: Path, name: str, *, may_label: bool = False) -> Source:
        if Path(name).suffix.lower() == ".parquet":
            from workers.imports.formats.parquet.source import ParquetSource  # as below

            return ParquetSource(
                path,
                name,
                params.columns,
                params.read_columns,
                medium=Medium.TEXT,
                names_only=names_only,
            )
        found = TextTableSource(
            path,
            name,
            params.columns,
            params.read_columns,
            how,
            of_model=params.predictions is not None,
        )
        if may_label and not found.has_texts and (found.is_stated or params.read_columns):
            return TableSource(path, name, params.columns, params.read_columns)
        found.require_texts()
        return found

    if suffix in ARCHIVES:
        archive = open_archive(path, filename, context.settings.max_upload_bytes)
        return TextZip(archive, context.work, params.read_columns, params.folder_split, table)
    if suffix in TEXT_TABLES or suffix == ".parquet":
        return table(path, filename, may_label=suffix != SUFFIX)
    return SingleSource(path, filename)


def _pool(context: JobContext) -> Iterator[tuple[int, str]]:
    """Ids and names of the images that were there before this import, read when asked for."""
    statement = select(Example.id, Example.name).where(
        Example.project_id == context.project_id,
        Example.import_id.is_distinct_from(context.job_id),
    )
    last = 0
    while True:
        with context.sessions() as session:
            rows = session.execute(
                statement.where(Example.id > last).order_by(Example.id).limit(_ROWS)
            ).all()
        if not rows:
            return
        yield from ((id_, name) for id_, name in rows)
        last = rows[-1].id


def _upload(context: JobContext, params: ImportParams) -> tuple[Path, str]:
    """What was sent, unpacked if it is compressed, and what it is called then."""
    path = context.storage.upload(params.upload or "")
    if not path.is_file():
        raise Invalid("upload_missing", f"The upload of {params.filename} is gone; send it again.")
    return _unpacked(context, path, params.filename)


def _unpacked(context: JobContext, path: Path, filename: str) -> tuple[Path, str]:
    most = context.settings.max_upload_bytes
    return unpacked(path, filename, context.work / "unpacked", most, context.check)


def _bucket(
    context: JobContext, params: ImportParams, place: str, how: Lines, names_only: bool
) -> Source:
    location = Location.parse(place)
    require_allowed(location, context.settings.import_places, "location")
    bucket = Bucket(Buckets(context.settings), location)
    annotations = params.read_columns
    if params.upload is not None or params.table is not None:
        if params.table is None:
            table, name = _upload(context, params)
        else:
            copy = _table(context, params, bucket)
            table, name = _unpacked(context, copy, params.filename)
        columns = params.columns
        from workers.imports.keys import KeySource  # as above

        return KeySource(table, name, columns, annotations, bucket, how=how, names_only=names_only)
    compare = None
    if params.sync is not None:
        followed = Followed.of(params.sync, context.project_id, params)
        compare = partial(followed.compare, context.sessions)
    listing = Listing(
        bucket,
        context.work / LISTING,
        params.include,
        resumes="tally" in context.checkpoint,
        check=context.check,
        compare=compare,
    )
    return BucketSource(
        listing,
        context.work,
        annotations,
        params.folder_split,
        most=context.settings.max_upload_bytes,
        how=how,
        names_only=names_only,
    )


def _table(context: JobContext, params: ImportParams, bucket: Bucket) -> Path:
    """A copy of a table that lies in the bucket: a job that resumes reads the same again."""
    location = Location.parse(params.table or "")
    copy = context.work / "table"
    if not copy.exists():
        found = bucket.buckets.head(location)
        if found.size > context.settings.max_upload_bytes:
            raise Invalid("too_large", f"{location} is larger than an upload may be.")
        blocks = bucket.buckets.blocks(found)
        write_atomically(copy, lambda part: fill(part, blocks))
    return copy
