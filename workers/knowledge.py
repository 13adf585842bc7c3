"""What a job that is started by hand works with: the answers of the moment it began."""

from dataclasses import dataclass

import numpy as np
from sqlalchemy import ARRAY, BigInteger, any_, bindparam, func, select

from core.project_settings import ProjectSettings
from core.tables import Example, Project, Round
from models.data import PixelStore
from models.protocols import Indices
from workers.runner import JobContext
from workers.snapshot import Snapshot, take

_FILE = "snapshot.npz"


@dataclass(frozen=True)
class Knowledge:
    """Answers, pixels and the seed of a project, frozen for one job."""

    snapshot: Snapshot
    store: PixelStore
    seed: int


def freeze(context: JobContext) -> Knowledge:
    """Take the snapshot that the job, and whoever resumes it, works with."""
    with context.sessions() as session:
        project = session.get_one(Project, context.project_id)
        settings = ProjectSettings.model_validate(project.settings)
        last = select(func.max(Round.number)).where(Round.project_id == context.project_id)
        snapshot = take(session, context.project_id, session.scalar(last))
    snapshot.save(context.work / _FILE)
    context.save({"known": {"input_size": settings.input_size, "seed": settings.seed}})
    return frozen(context)


def example_ids(context: JobContext, indices: Indices) -> Indices:
    """Return the ids of the examples at (N,) pool indices: (N,) int64."""
    # One array: there may be more of them than a statement may have parameters.
    wanted = bindparam("wanted", indices.tolist(), type_=ARRAY(BigInteger))
    with context.sessions() as session:
        statement = (
            select(Example.pool_index, Example.id)
            .where(Example.project_id == context.project_id, Example.pool_index == any_(wanted))
            .order_by(Example.pool_index)
        )
        table = np.array(session.execute(statement).all(), dtype=np.int64).reshape(-1, 2)
    examples: Indices = table[np.searchsorted(table[:, 0], indices), 1]
    return examples


def frozen(context: JobContext) -> Knowledge:
    """Read what ``freeze`` took."""
    known = context.checkpoint["known"]
    snapshot = Snapshot.load(context.work / _FILE)
    pixels = context.storage.pixels(context.project_id)
    store = PixelStore.open(pixels, known["input_size"], snapshot.count)
    return Knowledge(snapshot, store, known["seed"])
