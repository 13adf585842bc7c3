from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Select, select
from sqlalchemy.ext.asyncio import AsyncSession

from api.artifacts.subsets import gone
from api.subsets.schemas import (
    ClassShare,
    NoiseOut,
    OnlyHere,
    SubsetComparison,
    SubsetOut,
    SubsetSide,
)
from core.artifacts.subsets import UNKNOWN, SubsetRows, noise, read_subset
from core.errors import NotFound
from core.files.storage import Storage
from core.settings.project import ProjectSettings
from core.states import ArtifactKind
from core.tables import Artifact, Job, Project

_SHOWN: Final = 24


def _subsets(project_id: int) -> Select[tuple[Artifact, dict[str, Any] | None]]:
    """Subsets with the parameters of the jobs that made them, newest first."""
    return (
        select(Artifact, Job.params)
        .outerjoin(Job, Job.id == Artifact.job_id)
        .where(Artifact.project_id == project_id, Artifact.kind == ArtifactKind.SUBSET)
        .order_by(Artifact.id.desc())
    )


async def list_subsets(session: AsyncSession, project: Project) -> list[SubsetOut]:
    found = await session.execute(_subsets(project.id))
    return [_described(project, artifact, params) for artifact, params in found]


async def _found(
    session: AsyncSession, project_id: int, subset_id: int
) -> tuple[Artifact, dict[str, Any] | None]:
    statement = _subsets(project_id).where(Artifact.id == subset_id)
    row = (await session.execute(statement)).one_or_none()
    if row is None:
        raise NotFound("subset")
    return row[0], row[1]


def _described(project: Project, artifact: Artifact, params: dict[str, Any] | None) -> SubsetOut:
    meta = artifact.meta
    known = meta.get("noise") or {}
    return SubsetOut(
        id=artifact.id,
        job_id=artifact.job_id,
        method=meta["method"],
        params=params or {},
        labeled=meta["labeled"],
        kept=meta["kept"],
        noise_ratio=known.get("kept", {}).get("ratio"),
        noise_known=known.get("kept", {}).get("known"),
        active=ProjectSettings.model_validate(project.settings).subset == artifact.id,
        created_at=artifact.created_at,
    )


async def described_subset(
    session: AsyncSession, project: Project, subset_id: int
) -> tuple[Artifact, SubsetOut]:
    """A subset's file, and what is known of it without reading that."""
    artifact, params = await _found(session, project.id, subset_id)
    return artifact, _described(project, artifact, params)


def compared(
    storage: Storage, a: tuple[Artifact, SubsetOut], b: tuple[Artifact, SubsetOut]
) -> SubsetComparison:
    """Two subsets of a project, side by side. Blocks."""
    one, two = (_rows(storage, artifact) for artifact, _ in (a, b))
    kept_one, kept_two = one.example_ids[one.kept], two.example_ids[two.kept]
    common = len(np.intersect1d(kept_one, kept_two, assume_unique=True))
    union = len(kept_one) + len(kept_two) - common
    return SubsetComparison(
        a=_side(a[1], one),
        b=_side(b[1], two),
        intersection=common,
        union=union,
        jaccard=common / union if union else 1.0,
        only_a=len(kept_one) - common,
        only_b=len(kept_two) - common,
        first_only_a=_first_only(one, kept_two),
        first_only_b=_first_only(two, kept_one),
    )


def _rows(storage: Storage, artifact: Artifact) -> SubsetRows:
    try:
        return read_subset(storage.fetch(artifact.storage_key))
    except FileNotFoundError as error:
        raise gone(artifact) from error


def _side(out: SubsetOut, rows: SubsetRows) -> SubsetSide:
    counts = rows.class_counts()
    known = noise(rows.class_ids[rows.kept], rows.true_ids[rows.kept])
    return SubsetSide(
        **out.model_dump(),
        balance=[
            ClassShare(class_id=class_id, labeled=labeled, kept=kept)
            for class_id, (labeled, kept) in counts.items()
        ],
        noise=NoiseOut(**known),
    )


def _first_only(rows: SubsetRows, others: NDArray[np.int64]) -> list[OnlyHere]:
    """The first that are kept here and not there, by rank."""
    positions = np.flatnonzero(rows.kept & ~np.isin(rows.example_ids, others))[:_SHOWN]
    return [
        OnlyHere(
            example_id=int(rows.example_ids[one]),
            class_id=int(rows.class_ids[one]),
            true_class_id=None if rows.true_ids[one] == UNKNOWN else int(rows.true_ids[one]),
            loss=float(rows.losses[one]),
        )
        for one in positions.tolist()
    ]
