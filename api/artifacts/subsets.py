"""Subsets that jobs have left, for whoever goes by what is in them."""

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from core.errors import Conflict, NotFound
from core.states import ArtifactKind
from core.tables import Artifact


async def find_subset(session: AsyncSession, project_id: int, subset_id: int) -> Artifact:
    """The file of a subset.

    Raises:
        NotFound: The project has no such subset.
    """
    statement = select(Artifact).where(
        Artifact.id == subset_id,
        Artifact.project_id == project_id,
        Artifact.kind == ArtifactKind.SUBSET,
    )
    found = await session.scalar(statement)
    if found is None:
        raise NotFound("subset")
    return found


def gone(artifact: Artifact) -> Conflict:
    """What is said where the file of a subset is lost."""
    return Conflict(
        "subset_file_missing",
        f"The file of subset {artifact.id} is not in the data directory; restore it from a backup, "
        "or prune again.",
    )
