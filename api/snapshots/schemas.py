from datetime import datetime
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, StringConstraints

from api.examples.schemas import Filters
from core.artifacts.pool_snapshots import Change, Origin
from core.names import composed
from core.states import Verdict

# Names are parts of addresses and of the names of files.
SnapshotName = Annotated[
    str,
    StringConstraints(strip_whitespace=True, max_length=80, pattern=r"^\w[\w .+-]*$"),
    AfterValidator(composed),
]


class SnapshotCreate(BaseModel):
    """What to keep, and under which name: letters, digits, spaces, `.`, `+`, `-` and `_`.

    `filters` are those of the list of examples; without them every example is part of it, of every
    split.
    """

    model_config = ConfigDict(extra="forbid")

    name: SnapshotName
    filters: Filters | None = None


class SnapshotCounts(BaseModel):
    """How many examples a snapshot holds.

    `labeled`, `ood`, `unsure` and `unlabeled` are of the pool. `by_person`, `by_model`, `by_import`
    and `by_truth` say by whose word examples count as what they do: the truth is what an evaluation
    image came with. `no_objects` are those of `labeled` that are boxes, and no box; null in
    snapshots of earlier versions. `withdrawn` of `examples` were withdrawn since, and are in it no
    more; the other numbers are as they were.
    """

    examples: int
    withdrawn: int
    labeled: int
    no_objects: int | None
    ood: int
    unsure: int
    unlabeled: int
    evaluation: int
    auxiliary_ood: int
    by_person: int
    by_model: int
    by_import: int
    by_truth: int


class SnapshotClass(BaseModel):
    """A class as it was called then, and how many examples counted as it.

    `examples` is null where labels are more than one class.
    """

    id: int
    name: str
    examples: int | None


class SnapshotOut(BaseModel):
    """What the examples of a project counted as at `taken_at`; it never changes.

    `digest` is the SHA-256 of a line of JSON for each example, in the order of the lines: its
    SHA-256, its verdict, its label as exports write it, and by whose word. `filters` are those
    that the examples had to match, null where every one is part of it. `artifact_id` is the file.
    """

    id: int
    name: str
    taken_at: datetime
    author: str | None
    filters: dict[str, Any] | None
    digest: str
    counts: SnapshotCounts
    classes: list[SnapshotClass]
    artifact_id: int
    bytes: int


class SnapshotSide(BaseModel):
    """What an example counted as: `class_name` of labels that are one class.

    `no_objects` says of a label of boxes that it has none.
    """

    verdict: Verdict | None
    class_name: str | None
    no_objects: bool
    origin: Origin | None


class SnapshotChange(BaseModel):
    """An example that differs; `before` or `after` is null where it is not part of it."""

    example_id: int
    pool_index: int
    name: str
    image_url: str
    change: Change
    before: SnapshotSide | None
    after: SnapshotSide | None


class SnapshotFlow(BaseModel):
    """How many examples counted as one thing before and as another after."""

    before_verdict: Verdict | None
    before_class: str | None
    before_no_objects: bool
    after_verdict: Verdict | None
    after_class: str | None
    after_no_objects: bool
    examples: int


class RenamedClass(BaseModel):
    """A class that was called something else: its labels are the same, the digest is not."""

    id: int
    before: str
    after: str


class SnapshotDiff(BaseModel):
    """What changed between two snapshots, from `one` to `other`.

    `added` and `gone` count the examples that only one of them holds, `relabeled` those that count
    as something else, `other_origin` those that count as the same by somebody else's word. `flows`
    are the most frequent changes of what examples count as. `items` are the examples themselves, a
    page of them.
    """

    one: str
    other: str
    same: bool
    unchanged: int
    added: int
    gone: int
    relabeled: int
    other_origin: int
    flows: list[SnapshotFlow]
    renamed: list[RenamedClass]
    items: list[SnapshotChange]
    next_cursor: int | None
