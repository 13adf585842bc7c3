"""What the job that learns features begins with."""

import numpy as np
from sqlalchemy import select

from core.settings.project import ProjectSettings
from core.states import Split
from core.tables import Example, Project
from models.files.arrays import write_array
from models.media.images.contrastive import require_several
from workers.jobs.context import JobContext
from workers.jobs.stores import frame_of, noted


def gather(context: JobContext) -> None:
    """Note what is learned from, so that a resumed job learns the same.

    Raises:
        ModelError: The pool has fewer than two images.
    """
    with context.sessions() as session:
        statement = (
            select(Example.pool_index, Example.split)
            .where(Example.project_id == context.project_id)
            .order_by(Example.pool_index)
        )
        examples = session.execute(statement).all()
        project = session.get_one(Project, context.project_id)
        settings = ProjectSettings.model_validate(project.settings)
        frame = frame_of(project.medium, settings)
    # Evaluation images must teach nothing, and images known to be OOD are no part of the pool.
    pool = np.array([index for index, split in examples if split is Split.POOL], dtype=np.int64)
    require_several(len(pool))
    write_array(context.work / "pool.npy", pool)
    known = {"images": len(examples), **noted(frame), "seed": settings.seed}
    context.save({"known": known})
