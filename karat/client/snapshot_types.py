"""Data sets as they were, and what changed between them.

Made from the API's description: ``make openapi`` writes it anew.
"""

from typing import Any, Literal, TypedDict

from karat.client.resources import Verdict

SnapshotOrigin = Literal["person", "model", "import", "truth"]
"""By whose word an example counts as what it does.

``truth`` is what it came with that no vote is asked about: of an evaluation image its label, of
an auxiliary OOD image that it is one."""
SnapshotDifference = Literal["added", "gone", "label", "origin"]
"""What became of an example between two snapshots.

``label`` is that it counts as something else, ``origin`` that it counts as the same by
somebody else's word."""


class SnapshotCounts(TypedDict):
    """How many examples a snapshot holds.

    `labeled`, `ood`, `unsure` and `unlabeled` are of the pool. `by_person`, `by_model`, `by_import`
    and `by_truth` say by whose word examples count as what they do: the truth is what an evaluation
    image came with. `no_objects` are those of `labeled` that are boxes, and no box; null in
    snapshots of earlier versions. `withdrawn` of `examples` were withdrawn since, and are in it no
    more; the other numbers are as they were.
    """

    auxiliary_ood: int
    by_import: int
    by_model: int
    by_person: int
    by_truth: int
    evaluation: int
    examples: int
    labeled: int
    no_objects: int | None
    ood: int
    unlabeled: int
    unsure: int
    withdrawn: int


class SnapshotClass(TypedDict):
    """A class as it was called then, and how many examples counted as it.

    `examples` is null where labels are more than one class.
    """

    examples: int | None
    id: int
    name: str


class Snapshot(TypedDict):
    """What the examples of a project counted as at `taken_at`; it never changes.

    `digest` is the SHA-256 of a line of JSON for each example, in the order of the lines: its
    SHA-256, its verdict, its label as exports write it, and by whose word. `filters` are those
    that the examples had to match, null where every one is part of it. `artifact_id` is the file.
    """

    artifact_id: int
    author: str | None
    bytes: int
    classes: list[SnapshotClass]
    counts: SnapshotCounts
    digest: str
    filters: dict[str, Any] | None
    id: int
    name: str
    taken_at: str


class SnapshotSide(TypedDict):
    """What an example counted as: `class_name` of labels that are one class.

    `no_objects` says of a label of boxes that it has none.
    """

    class_name: str | None
    no_objects: bool
    origin: SnapshotOrigin | None
    verdict: Verdict | None


class SnapshotChange(TypedDict):
    """An example that differs; `before` or `after` is null where it is not part of it."""

    after: SnapshotSide | None
    before: SnapshotSide | None
    change: SnapshotDifference
    example_id: int
    image_url: str
    name: str
    pool_index: int


class SnapshotFlow(TypedDict):
    """How many examples counted as one thing before and as another after."""

    after_class: str | None
    after_no_objects: bool
    after_verdict: Verdict | None
    before_class: str | None
    before_no_objects: bool
    before_verdict: Verdict | None
    examples: int


class RenamedClass(TypedDict):
    """A class that was called something else: its labels are the same, the digest is not."""

    after: str
    before: str
    id: int


class SnapshotDiff(TypedDict):
    """What changed between two snapshots, from `one` to `other`.

    `added` and `gone` count the examples that only one of them holds, `relabeled` those that count
    as something else, `other_origin` those that count as the same by somebody else's word. `flows`
    are the most frequent changes of what examples count as. `items` are the examples themselves, a
    page of them.
    """

    added: int
    flows: list[SnapshotFlow]
    gone: int
    items: list[SnapshotChange]
    next_cursor: int | None
    one: str
    other: str
    other_origin: int
    relabeled: int
    renamed: list[RenamedClass]
    same: bool
    unchanged: int
