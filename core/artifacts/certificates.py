"""What a certificate keeps beside its rows: what was drawn, and which image is in which lot."""

from collections.abc import Collection, Iterable, Mapping, Set
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final, Literal, Self

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray
from sqlalchemy import select, update

from core.database.among import among
from core.states import ArtifactKind
from core.tables import Artifact, Certificate, Query

NO_CLASS: Final = -1
"""In place of the id of a class, of what a model takes for OOD."""

Outcome = Literal["waiting", "right", "wrong", "unsure"]


ChangedClasses = Literal["class_gone", "class_added"]
OTHER_CLASSES: Final[Mapping[ChangedClasses, str]] = {
    "class_gone": "A class that the model labels with is not there any more: close a round with "
    "the classes as they are now, and certify again. What people said stays.",
    "class_added": "A class was made while images were checked: what people had said before could "
    "not name it, so nothing can be promised. Close a round with the classes as they are now, and "
    "certify again. What people said stays.",
}


def changed_classes(
    result: Mapping[str, Any], wanted: Set[int | None], there: Set[int]
) -> ChangedClasses | None:
    """Why the classes of now are none that anything can be promised of, if so.

    Args:
        result: Of the certificate.
        wanted: Ids of the classes that it labels with; None is OOD.
        there: Ids of the classes that the project has.
    """
    if wanted - there - {None}:
        return "class_gone"
    # Of before, nobody knows what people could name.
    return "class_added" if there - set(result.get("classes", there)) else None


@dataclass(frozen=True, slots=True)
class Draw:
    """An image that was drawn from a lot for people to look at.

    Attributes:
        lot: Number of the lot.
        index: Pool index of the image.
        example_id: Its id.
        probability: With which it was drawn from what was left of the lot.
        after: Id of an annotation; what people say later answers it.
        again: Whether the first verdict contradicted the model, so that somebody else is asked.
        outcome: Whether the model is right. ``unsure``: who looked could not say, or all have
            skipped it; it counts as wrong.
    """

    lot: int
    index: int
    example_id: int
    probability: float
    after: int = 0
    outcome: Outcome = "waiting"
    again: bool = False

    def answered(self, outcome: Outcome) -> "Draw":
        """The same, with what people said."""
        return replace(self, outcome=outcome)

    def asked_again(self, after: int) -> "Draw":
        """The same, when somebody is to look who does not know what was said first."""
        return replace(self, after=after, again=True, outcome="waiting")

    def to_json(self) -> dict[str, Any]:
        """As the database keeps it."""
        return asdict(self)


def draws_of(certificate: Certificate) -> list[Draw]:
    """All draws of a certificate, in their order."""
    return [Draw(**one) for one in certificate.observations]


@dataclass(frozen=True)
class Members:
    """N images that nobody had judged, and what a model takes them for.

    Attributes:
        pool_index: (N,) int64, ascending.
        example_id: (N,) int64.
        lot: (N,) int64, number of the lot of each.
        class_id: (N,) int64, or ``NO_CLASS``.
        probability: (N,) float32 in 0..1, that it is what the model takes it for.
        likeliest: (N,) int64, id of the class that it is of, if of any.
        given_any: (N,) float32 in 0..1, that it is of that class, if of any.
        inside: (N,) float32 in 0..1, that it is of any class; NaN where nothing tells.
    """

    pool_index: NDArray[np.int64]
    example_id: NDArray[np.int64]
    lot: NDArray[np.int64]
    class_id: NDArray[np.int64]
    probability: NDArray[np.float32]
    likeliest: NDArray[np.int64]
    given_any: NDArray[np.float32]
    inside: NDArray[np.float32]

    def __len__(self) -> int:
        """N."""
        return len(self.pool_index)

    def place(self, index: int) -> int:
        """Where the image with a pool index is."""
        return int(np.searchsorted(self.pool_index, index))

    def take(self, which: NDArray[Any]) -> Self:
        """Those at places, or where a mask is true."""
        return type(self)(**{name: values[which] for name, values in self.__dict__.items()})

    def save(self, path: Path) -> None:
        """Write them to a Parquet file."""
        pq.write_table(pa.table(dict(self.__dict__)), path, compression="zstd")

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read what ``save`` wrote.

        Raises:
            FileNotFoundError: There is no such file.
        """
        table = pq.read_table(path)
        return cls(**{name: table[name].to_numpy() for name in cls.__dataclass_fields__})


def members_file(certificate_id: int) -> Any:
    """Statement: the artifact that says which image is in which lot of a certificate."""
    return select(Artifact).where(
        Artifact.kind == ArtifactKind.CERTIFICATE,
        Artifact.project_id
        == select(Certificate.project_id).where(Certificate.id == certificate_id).scalar_subquery(),
        Artifact.meta["certificate_id"].as_integer() == certificate_id,
    )


def taken_back(round_id: int, example_ids: Collection[int]) -> Any:
    """Statement: nobody is asked any more about these; returns the ids of those that were left."""
    return (
        update(Query)
        .where(
            Query.round_id == round_id,
            Query.requested,
            ~Query.done,
            among(Query.example_id, sorted(example_ids)),
        )
        .values(done=True)
        .returning(Query.example_id)
    )


def counted(draws: Iterable[Draw]) -> dict[str, int]:
    """How many draws there are, by what became of them."""
    found = {"waiting": 0, "right": 0, "wrong": 0, "unsure": 0}
    for draw in draws:
        found[draw.outcome] += 1
    return found
