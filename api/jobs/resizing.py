from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from api.projects.settings import checked
from core.errors import Conflict
from core.media.images.input_size import LOOKED_AT, SizeChoice
from core.settings.project import Fit, ProjectSettings
from core.tables import Example, Project
from core.withdrawals import is_kept


async def frame_to_be(
    session: AsyncSession, project: Project, wanted: int | None, fit: Fit | None
) -> tuple[int, Fit]:
    """The size that a project's images are to be brought to, and what is to be seen of them.

    Args:
        session: Of the request.
        project: Its row is locked.
        wanted: The size that was asked for; without it, what an import of these images would
            choose, or where a fit was asked for, what is there.
        fit: What was asked for; without it, what is there.

    Raises:
        Conflict: ``no_images``; ``input_size_same``, they are like that already.
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
    choice = SizeChoice.of(sizes, fit=settings.fit, total=total or 0, above=settings.patch_size)
    if choice is None:
        raise Conflict("no_images", "The project has no images; import some first.")
    size = wanted or (choice.side if fit is None else settings.side)
    fit = fit or settings.fit
    if (size, fit) == (settings.input_size, settings.fit):
        raise Conflict(
            "input_size_same",
            f"The images are stored at {size} px already; ask for another size, or another fit.",
            field="params",
        )
    # The same rules as for a change of the settings, which this is.
    checked({"input_size": size}, settings, project.medium, project.task)
    return size, fit
