"""How one round follows another. Pure: objects in, objects out."""

from core.lifecycle import move_round, new_job
from core.project_settings import ProjectSettings
from core.states import JobKind, RoundState
from core.tables import Job, Project, Round


def new_round(project: Project, number: int) -> Round:
    """Round ``number`` in state selecting, with the project's settings frozen into it."""
    settings = ProjectSettings.model_validate(project.settings)
    return Round(
        project_id=project.id,
        number=number,
        state=RoundState.SELECTING,
        settings=settings.model_dump(mode="json"),
        strategy=settings.strategy.name if number else "random",
        # Distinct for every round of every seed, and within 32 bits for any library.
        seed=(settings.seed * 10_007 + number) % 2**31,
        budget=settings.budget,
        spent=0.0,
        queries=0,
        metrics={},
        notes=[],
        seconds={},
    )


def close(project: Project, round_: Round) -> tuple[Round | None, Job]:
    """Close an open round.

    Args:
        project: The round's project.
        round_: An open round, its row locked; it becomes closing.

    Returns:
        The next round, which collects what annotators answer in the meantime (``None`` after the
        last round), and the job that advances to it.

    Raises:
        Conflict: The round is not open.
    """
    move_round(round_, RoundState.CLOSING)
    settings = ProjectSettings.model_validate(project.settings)
    last = settings.max_rounds is not None and round_.number + 1 >= settings.max_rounds
    job = new_job(
        JobKind.ADVANCE_ROUND,
        project_id=project.id,
        params={"closing": round_.number, "selecting": None if last else round_.number + 1},
    )
    return None if last else new_round(project, round_.number + 1), job
