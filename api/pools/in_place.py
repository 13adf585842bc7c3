"""Imports of images that stay where they are."""

from pathlib import PurePosixPath

from api.pools.schemas import BucketImport
from api.pools.uploads import check_annotations
from core.errors import DomainError, Invalid
from core.files.buckets import Buckets
from core.files.compression import plain_name
from core.jobs.imports import ImportParams
from core.settings import Settings
from core.settings.locations import Location, require_allowed
from core.states import Split

TABLES = frozenset({".csv", ".tsv", ".jsonl", ".parquet"})


def allowed_location(text: str, settings: Settings) -> Location:
    """The location, if the operator allows it.

    Raises:
        DomainError: ``invalid_location``, ``locations_off`` or ``location_not_allowed``.
    """
    location = Location.parse(text, "location")
    require_allowed(location, settings.import_places, "location")
    return location


def import_params(asked: BucketImport, settings: Settings) -> ImportParams:
    """Parameters of the import's job; looks into the bucket, and so blocks.

    Raises:
        DomainError: Besides those of ``allowed_location``: ``invalid_table``, ``location_empty``,
            ``invalid_annotation_column``, and what ``Buckets`` raises.
    """
    location = allowed_location(asked.location, settings)
    annotations = list(dict.fromkeys(asked.annotation_columns))
    if annotations and asked.split is not Split.POOL:
        check_annotations("", annotations, asked.split)
    buckets = Buckets(settings)
    params = ImportParams(
        filename=str(location),
        location=str(location),
        include=asked.include,
        split=asked.split,
        columns=_columns(asked),
        annotations=annotations,
        folder_split=asked.folder_split,
        count_from=asked.count_from,
    )
    if asked.table is None:
        if not next(buckets.pages(location), None):
            raise Invalid("location_empty", f"There is nothing below {location}.", field="location")
        return params
    table = _table(asked.table, location)
    buckets.head(table)
    return params.model_copy(update={"filename": str(table), "table": str(table)})


def _columns(asked: BucketImport) -> dict[str, str]:
    columns = {"key": asked.key_column, "label": asked.label_column, "split": asked.split_column}
    return {role: name for role, name in columns.items() if name}


def _table(text: str, location: Location) -> Location:
    require_table(text, "table")
    try:
        table = Location.parse(text) if "://" in text else location.child(text)
    except DomainError as error:
        raise Invalid(error.code, error.detail, field="table") from error
    if not location.holds(table):
        raise Invalid("invalid_table", f"The table has to lie below {location}.", field="table")
    return table


def require_table(filename: str, field: str) -> None:
    """Refuse a file that is no table by its name."""
    if PurePosixPath(plain_name(filename)).suffix.lower() not in TABLES:
        raise Invalid(
            "invalid_table",
            "A table of images that stay in a bucket is a .csv, .tsv, .jsonl or .parquet file.",
            field=field,
        )
