"""The scores of a round as columns in memory: some 24 bytes an example, the latest few rounds."""

from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from anyio import to_thread
from numpy.typing import NDArray
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from api.examples.schemas import Filters, Sort
from api.transfers.files import artifact_file
from core.errors import Conflict, NotFound
from core.files.storage import Storage
from core.states import ArtifactKind
from core.tables import Artifact, Project, Round
from models.ranking.pool_scores import predictions

COLUMNS: Final = ("purity", "informativeness", "meta_score", "confidence", "in_probability")
_KEPT_TABLES: Final = 4

Floats = NDArray[np.float32]
Positions = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """N scored examples.

    Attributes:
        number: Round whose queries were chosen by these scores.
        class_ids: (C,) class of each output of the model; empty where labels are no classes.
        pool_index: (N,) int32, ascending.
        columns: For each of ``COLUMNS`` (N,) float32, NaN where there is none; files of earlier
            versions lack ``in_probability``.
        predicted: (N,) int16, an output of the model.
    """

    number: int
    class_ids: tuple[int, ...]
    pool_index: NDArray[np.int32]
    columns: dict[str, Floats]
    predicted: NDArray[np.int16]
    _orders: dict[Sort, Positions] = field(default_factory=dict)

    def find(self, pool_index: int) -> int | None:
        """Position of an example, if it was scored."""
        at = int(np.searchsorted(self.pool_index, pool_index))
        found = at < len(self.pool_index) and self.pool_index[at] == pool_index
        return at if found else None

    def predicted_class(self, at: int) -> int | None:
        """The class that the model takes the example at a position for."""
        return self.class_ids[self.predicted[at]] if self.class_ids else None

    def ordered(self, sort: Sort) -> Positions:
        """Positions in the order of ``sort``; without those that have no such score."""
        if sort not in self._orders:
            name, falls = sort.removeprefix("-"), sort.startswith("-")
            if name == "pool_index":
                order = np.arange(len(self.pool_index))
            else:
                values = self.columns[name]
                order = np.argsort(-values if falls else values, kind="stable")
                order = order[: len(order) - int(np.isnan(values).sum())]
            self._orders[sort] = order.astype(np.int32)
        return self._orders[sort]

    def matching(self, filters: Filters) -> NDArray[np.bool_] | None:
        """(N,) which examples have the scores and the prediction; None if that is not asked."""
        masks = []
        for name in ("purity", "informativeness"):
            low, high = getattr(filters, f"{name}_min"), getattr(filters, f"{name}_max")
            if low is not None:
                masks.append(self.columns[name] >= np.float32(low))
            if high is not None:
                masks.append(self.columns[name] <= np.float32(high))
        if filters.predicted is not None:
            known = filters.predicted in self.class_ids
            output = self.class_ids.index(filters.predicted) if known else -1
            masks.append(self.predicted == output)
        return np.logical_and.reduce(masks) if masks else None


def scored_by(filters: Filters, sort: Sort = "pool_index") -> list[str]:
    """Fields that ask about scores or predictions, the order by them last."""
    fields = [
        name
        for name in Filters.model_fields
        if name.startswith(("purity", "informat", "predicted"))
        and getattr(filters, name) is not None
    ]
    return [*fields, "sort"] if sort.removeprefix("-") in COLUMNS else fields


async def scores_for(
    session: AsyncSession,
    project: Project,
    storage: Storage,
    filters: Filters,
    sort: Sort = "pool_index",
) -> ScoreTable | None:
    """The scores that a search needs, or only shows: those may be missing.

    Raises:
        NotFound: A round is asked for that has no scores.
        Conflict: The scores are asked about, or those of a round, and their file is gone.
    """
    if filters.round is None and not scored_by(filters, sort):
        return await scores_if_there(session, project, storage)
    return await score_table(session, project, storage, filters.round)


async def scores_if_there(
    session: AsyncSession, project: Project, storage: Storage
) -> ScoreTable | None:
    """The latest scores, for who can do without: None, too, if their file is gone."""
    try:
        return await score_table(session, project, storage)
    except Conflict:
        return None


async def score_table(
    session: AsyncSession, project: Project, storage: Storage, number: int | None = None
) -> ScoreTable | None:
    """The scores of round ``number``, by default the latest there are; None if there are none.

    Raises:
        NotFound: Round ``number`` has no scores.
        Conflict: The file is gone.
    """
    statement = (
        select(Artifact, Round.number)
        .join(Round, Round.id == Artifact.round_id)
        .where(Artifact.project_id == project.id, Artifact.kind == ArtifactKind.SCORES)
        .order_by(Round.number.desc(), Artifact.id.desc())
        .limit(1)
    )
    if number is not None:
        statement = statement.where(Round.number == number)
    row = (await session.execute(statement)).one_or_none()
    if row is None:
        if number is None:
            return None
        raise NotFound(f"score of round {number}")
    artifact, found = row
    path = await artifact_file(storage, artifact.storage_key)
    classes = tuple(artifact.meta["class_ids"])
    try:
        return await to_thread.run_sync(_load, path, artifact.sha256, found, classes)
    except FileNotFoundError as error:
        raise Conflict(
            "scores_file_missing",
            f"The scores of round {found} are not in the data directory; restore them from a "
            "backup, or go on without filters and orders by score.",
        ) from error


@lru_cache(maxsize=_KEPT_TABLES)
def _load(path: Path, _sha256: str, number: int, class_ids: tuple[int, ...]) -> ScoreTable:
    with pq.ParquetFile(path, memory_map=True) as file:
        names = file.schema_arrow.names
        wanted = [name for name in ("pool_index", *COLUMNS, "predicted") if name in names]
        table = file.read(columns=wanted)
        columns = {name: _floats(table[name]) for name in COLUMNS if name in names}
        if "predicted" in names:
            predicted = table["predicted"].to_numpy().astype(np.int16)
        else:
            predicted, columns["confidence"] = _predictions(file)
    return ScoreTable(
        number, class_ids, table["pool_index"].to_numpy().astype(np.int32), columns, predicted
    )


def _floats(column: pa.ChunkedArray) -> Floats:
    """(N,) float32, NaN for null."""
    return np.asarray(column.to_numpy(), dtype=np.float32)


def _predictions(file: pq.ParquetFile) -> tuple[NDArray[np.int16], Floats]:
    """From the logits, which is all that files of earlier versions have; a piece at a time."""
    parts = []
    for group in range(file.num_row_groups):
        column = file.read_row_group(group, columns=["logits"])["logits"].combine_chunks()
        flat = column.flatten().to_numpy(zero_copy_only=False)
        parts.append(predictions(flat.reshape(len(column), -1)))
    if not parts:
        return np.empty(0, dtype=np.int16), np.empty(0, dtype=np.float32)
    predicted, confidence = zip(*parts, strict=True)
    return np.concatenate(predicted), np.concatenate(confidence)
