"""What can be asked of an export."""

from typing import Annotated

from pydantic import AfterValidator, Field

from api.examples.schemas import Filters
from api.exports.service import TABLES, Format
from core.errors import Invalid
from core.names import composed


class Asked(Filters):
    """A format, what goes into it, and the filters of the pool: with any of them what matches.

    What matches is of the pool, unless `split` says something else; without any filter examples of
    every split leave.
    """

    format: Format = Format.CSV
    effective: Annotated[
        bool,
        Field(
            description="`csv`, `jsonl`: of annotations only the one of each image that holds now."
        ),
    ] = False
    unlabeled: Annotated[
        bool,
        Field(
            description="`yolo`, `coco`, `label_studio`, `parquet`, `voc`, `cvat`: also images "
            "nobody has judged."
        ),
    ] = False
    images: Annotated[
        bool,
        Field(
            description="`coco`, `label_studio`: a zip with the images, or of texts with the "
            "interface for them, or else the JSON alone."
        ),
    ] = True
    bom: Annotated[
        bool,
        Field(description="`csv`: begin with a byte order mark, so that Excel reads it as UTF-8."),
    ] = False
    people_only: Annotated[
        bool, Field(description="Leave out what models have labeled under certificates.")
    ] = False
    snapshot: Annotated[
        str | None,
        Field(
            max_length=80,
            description="Name of a snapshot: what everything counted as when it was taken.",
        ),
        AfterValidator(lambda name: name and composed(name)),
    ] = None
    after: Annotated[
        int | None,
        Field(
            ge=0,
            lt=2**63,
            description="`csv`, `jsonl`: only annotations above this `annotation_id`, the last "
            "that you have; 0 to begin with.",
        ),
    ] = None

    @property
    def filters(self) -> Filters | None:
        """The filters that were given, if any were."""
        given = self.model_dump(include=self.model_fields_set & set(Filters.model_fields))
        return Filters(**given) if given else None

    def require_possible(self) -> None:
        """Refuse what does not go together.

        Raises:
            Invalid: ``not_after``: going on after an annotation where not all are told, in their
                order; ``whole_snapshot``: a part of a snapshot.
        """
        is_part = self.filters is not None
        is_whole = not self.effective and self.snapshot is None and not is_part
        if self.after is not None and not (self.format in TABLES and is_whole):
            raise Invalid(
                "not_after",
                "Only csv and jsonl go on after an annotation, and only with all that was said: "
                "leave out effective, snapshot and filters.",
                field="after",
            )
        if is_part and self.snapshot is not None:
            raise Invalid(
                "whole_snapshot",
                "A snapshot is exported whole, as filters ask what holds now: leave the filters "
                "out, or take a snapshot with them.",
                field="snapshot",
            )
