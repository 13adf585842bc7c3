from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from api.projects.settings import checked
from core.errors import Conflict
from core.media.images.input_size import LOOKED_AT, SizeChoice
from core.settings.project import ProjectSettings
from core.tables import Example, Project
from core.withdrawals import is_kept


async def size_to_be(session: AsyncSession, project: Project, wanted: int | None) -> int:
    """The size that a project's images are to be brought to.

    Args:
        session: Of the request.
        project: Its row is locked.
        wanted: What was asked for; without it, what an import of these images would choose.

    Raises:
        Conflict: ``no_images``; ``input_size_same``, they have that size already.
        Invalid: ``invalid_settings``, the other settings do not allow it.
    """
    statement = (
        select(Example.width, Example.height)
        .where(Example.project_id == project.id, is_kept())
        .order_by(Example.pool_index)
        .limit(LOOKED_AT)
    )
    found = await session.execute(statement)
    sizes = [(width, height) for width, height in found if width is not None and height is not None]
    settings = ProjectSettings.model_validate(project.settings)
    total = await session.scalar(select(func.count()).where(Example.project_id == project.id))
    choice = SizeChoice.of(sizes, total=total or 0, above=settings.patch_size)
    if choice is None:
        raise Conflict("no_images", "The project has no images; import some first.")
    size = choice.side if wanted is None else wanted
    if size == settings.input_size:
        raise Conflict(
            "input_size_same",
            f"The images are stored at {size} px already; ask for another size.",
            field="params",
        )
    # The same rules as for a change of the settings, which this is.
    checked({"input_size": size}, settings, project.medium, project.task)
    return size
