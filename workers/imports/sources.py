"""What an import reads from, by its parameters."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from sqlalchemy import select

from core.buckets import Buckets
from core.errors import Invalid
from core.locations import Location, require_allowed
from core.storage import fill, write_atomically
from core.tables import Example
from workers.imports.bucket import Bucket, BucketSource, Listing
from workers.imports.documents import SUFFIX, DocumentSource
from workers.imports.folder import FolderSource
from workers.imports.items import Source
from workers.imports.keys import KeySource
from workers.imports.parquet import ParquetSource
from workers.imports.single import SingleSource
from workers.imports.table import TABLES, TableSource
from workers.imports.zip_entries import ZipEntries
from workers.runner import JobContext

_ROWS: Final = 10_000


def open_source(context: JobContext) -> Source:
    """The source of images and labels of an import.

    Raises:
        DomainError: ``upload_missing``, ``invalid_archive`` or ``invalid_column``; of a bucket also
            what ``Buckets`` raises, and ``location_not_allowed`` once it is no longer allowed.
    """
    if "location" in context.params:
        return _bucket(context)
    filename: str = context.params["filename"]
    path = _upload(context)
    columns = context.params.get("columns", {})
    annotations = context.params.get("annotations", [])
    suffix = Path(filename).suffix.lower()
    if suffix == ".zip":
        return FolderSource(ZipEntries(path), context.work, annotations, _pool(context))
    if suffix == ".parquet":
        return ParquetSource(path, filename, columns, annotations)
    if suffix in TABLES:
        return TableSource(path, filename, columns, annotations)
    if suffix == SUFFIX:
        return DocumentSource(path, filename, context.work, _pool(context))
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


def _upload(context: JobContext) -> Path:
    path = context.storage.upload(context.params["upload"])
    if not path.is_file():
        filename = context.params["filename"]
        raise Invalid("upload_missing", f"The upload of {filename} is gone; send it again.")
    return path


def _bucket(context: JobContext) -> Source:
    params = context.params
    location = Location.parse(params["location"])
    require_allowed(location, context.settings.import_places, "location")
    bucket = Bucket(Buckets(context.settings), location)
    annotations = params.get("annotations", [])
    if "upload" in params or "table" in params:
        table = _upload(context) if "upload" in params else _table(context, bucket)
        return KeySource(table, params["filename"], params.get("columns", {}), annotations, bucket)
    listing = Listing(
        bucket,
        context.work / "objects.sqlite",
        params.get("include", []),
        resumes="tally" in context.checkpoint,
        check=context.check,
    )
    return BucketSource(listing, context.work, annotations)


def _table(context: JobContext, bucket: Bucket) -> Path:
    """A copy of a table that lies in the bucket: a job that resumes reads the same again."""
    location = Location.parse(context.params["table"])
    copy = context.work / "table"
    if not copy.exists():
        found = bucket.buckets.head(location)
        if found.size > context.settings.max_upload_bytes:
            raise Invalid("too_large", f"{location} is larger than an upload may be.")
        blocks = bucket.buckets.blocks(found)
        write_atomically(copy, lambda part: fill(part, blocks))
    return copy
