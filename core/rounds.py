"""How one round follows another: objects in, objects out."""

from datetime import datetime
from typing import Any, Final

from sqlalchemy import Select, func, select

from core.errors import Conflict
from core.jobs.params import AdvanceParams
from core.lifecycle import move_round, new_job
from core.settings.project import ProjectSettings
from core.states import MOST_BUDGET, ArtifactKind, JobKind, JobState, RoundState
from core.tables import Artifact, Job, Project, Round
from core.tasks.registry import task_type

# Rounding of sums of costs must not keep a round open.
_EPSILON = 1e-9
CERTIFICATE: Final = "certificate"
"""Strategy of a round in which nothing but draws for a certificate is asked."""
AUDIT: Final = "audit"
"""Strategy of a round that asks about random draws alone: none has chosen."""
DRAWN_OF: Final = "drawn_of"
"""Metric of the first round: of how many examples its queue was drawn."""
CHECKS: Final = "checks"
"""Metric of an open round: what its checks for a certificate may cost, beside what is set."""
REFINING: Final = frozenset({"warm_start", "propose_more"})
"""Phases of a job that make an open queue better, and that nothing waits for."""
AFTER_OPENING: Final = REFINING | {"embed"}
"""Phases of a project's first job that come after its round has opened."""
_ALGORITHMS = ("model", "strategy", "purity", "informativeness", "subset")


def is_spent(spent: float, budget: float) -> bool:
    """Whether verdicts that cost ``spent`` have used up ``budget``, both in units of cost."""
    return spent >= budget - _EPSILON


def fit_budget(round_: Round, queries: int, checks: float = 0.0) -> None:
    """Let a round cost no more than what it asks, where that is less than its settings allow.

    Checks for a certificate come on top of what its settings allow.

    Seconds are not known before: a round that charges them keeps its budget.

    Args:
        round_: One that opens, or is about to.
        queries: How many answers it can still get.
        checks: What answers to checks cost, those that it has got and can still get.
    """
    settings = ProjectSettings.model_validate(round_.settings)
    round_.budget = settings.budget
    if checks:
        pay_for_checks(round_, checks)
    if settings.cost.mode == "fixed":
        asked = queries * max(settings.cost.c_in, settings.cost.c_ood)
        round_.budget = min(round_.budget, round_.spent + asked)


def extend_budget(round_: Round, queries: int) -> None:
    """Let an open round cost as much more as ``queries`` that join it, up to what is set.

    What checks for a certificate cost comes on top of that.
    """
    settings = ProjectSettings.model_validate(round_.settings)
    more = queries * max(settings.cost.c_in, settings.cost.c_ood)
    most = settings.budget + round_.metrics.get(CHECKS, 0.0)
    round_.budget = max(round_.budget, min(most, round_.budget + more))


def pay_for_checks(round_: Round, cost: float) -> None:
    """Let a round cost as much more as checks for a certificate do, on top of what is set."""
    round_.metrics = {**round_.metrics, CHECKS: round_.metrics.get(CHECKS, 0.0) + cost}
    round_.budget += cost


def waits_for_help(round_: RoundState, job: JobState | None, phase: str | None) -> bool:
    """Whether what a round's job does next has failed, and something waits for it.

    Args:
        round_: One that is open may be labeled meanwhile, before all is done that its job does.
        job: Of the round, if it has one.
        phase: In which that job is, or has ended.
    """
    if round_ is RoundState.OPEN:
        return job is JobState.FAILED and phase not in REFINING
    return round_ is RoundState.FAILED


def lock_unfinished(project_id: int) -> Select[Round]:
    """Statement: a project's rounds that are not closed, locked.

    Whoever stores verdicts locks the rounds first, in order of number.
    """
    return (
        select(Round)
        .where(Round.project_id == project_id, Round.state != RoundState.CLOSED)
        .order_by(Round.number)
        .with_for_update(key_share=True)
    )


def newest_model(project_id: int) -> Any:
    """Statement: the model of the last round that has one, and the number of the round."""
    return (
        select(Artifact, Round.number)
        .join(Round, Round.id == Artifact.round_id)
        .where(Artifact.project_id == project_id, Artifact.kind == ArtifactKind.CHECKPOINT)
        .order_by(Round.number.desc(), Artifact.id.desc())
        .limit(1)
    )


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


def next_number(project_id: int) -> Select[int]:
    """Statement: the number of a project's next round, where the project's row is locked."""
    last = select(func.max(Round.number)).where(Round.project_id == project_id)
    return select(func.coalesce(last.scalar_subquery() + 1, 0))


def new_audit_round(project: Project, number: int, draws: int) -> Round:
    """Round ``number``, whose budget pays for ``draws`` answers, and that none follows."""
    round_ = new_round(project, number)
    settings = ProjectSettings.model_validate(project.settings)
    round_.strategy = AUDIT
    price = max(settings.cost.c_in, settings.cost.c_ood) * settings.overlap
    # Seconds are not known before; it closes when its queue is empty.
    round_.budget = MOST_BUDGET if settings.cost.mode == "seconds" else draws * price
    return round_


def new_certificate_round(project: Project, number: int, overlap: int) -> Round:
    """Round ``number``, which asks about draws for a certificate, and which none follows.

    It closes when the certificate is decided and its queue is empty.
    """
    round_ = new_round(project, number)
    round_.strategy, round_.budget = CERTIFICATE, MOST_BUDGET
    round_.settings = {**round_.settings, "overlap": overlap}
    return round_


def note_draws(
    round_: Round, *, of: int, free: int, drawn: int, requested: bool, at: datetime
) -> None:
    """Keep with a round what its random draws are a sample of.

    Args:
        round_: The round in which they are asked about.
        of: How many examples the project held.
        free: From how many of them was drawn.
        drawn: How many.
        requested: Whether somebody has asked for them.
        at: When, by the clock of the database, as annotations have it.
    """
    made = {
        "of": of, "free": free, "drawn": drawn, "requested": requested, "at": at.timestamp()
    }  # fmt: skip
    round_.metrics = {**round_.metrics, "draws": [*round_.metrics.get("draws", []), made]}


def take_up(round_: Round, project: Project) -> bool:
    """Give a round whose job failed the algorithms that the project has by now.

    What answers were charged by stays as it was: some may have been given already. So does the
    strategy by which a queue was chosen.

    Returns:
        Whether that changes anything.
    """
    settings = ProjectSettings.model_validate(project.settings).model_dump(mode="json")
    taken = {**round_.settings, **{name: settings[name] for name in _ALGORITHMS}}
    if taken == round_.settings:
        return False
    round_.settings = taken
    if round_.number and round_.state is RoundState.SELECTING:
        round_.strategy = taken["strategy"]["name"]
    return True


def next_round(project: Project, number: int) -> Round | None:
    """The round after ``number``, in state selecting; ``None`` after the project's last.

    Where queries ask about groups, a job says which: no round follows by itself. Nor does one
    follow a round in which people were asked for a certificate: see ``close``.
    """
    if task_type(project.task).of_groups:
        return None
    settings = ProjectSettings.model_validate(project.settings)
    if settings.max_rounds is not None and number + 1 >= settings.max_rounds:
        return None
    return new_round(project, number + 1)


def close(project: Project, round_: Round, following: Round | None) -> tuple[list[object], Job]:
    """Close an open round.

    Args:
        project: The round's project.
        round_: An open round, its row locked; it becomes closing.
        following: The next round, if zero-wait answers have made it already.

    Returns:
        What is new and must be stored: the next round, which collects what annotators answer in
        the meantime, unless it exists or this was the last, and the job; and the job by itself.

    Raises:
        Conflict: The round is not open.
    """
    if round_.state is not RoundState.OPEN:
        raise Conflict(f"round_{round_.state}", f"The round is {round_.state}, not open.")
    ends = following is not None or round_.strategy in (AUDIT, CERTIFICATE)
    made = None if ends else next_round(project, round_.number)
    job = _advance(project, round_, following or made)
    return [job] if made is None else [made, job], job


def go_on(project: Project, last: Round) -> tuple[Round, Job]:
    """Close the last round of a finished project once more, now with one that follows.

    The job then learns from what was answered last, and from what came since, as it would have
    done had the project not ended there.

    Args:
        project: A finished project.
        last: Its last round, closed, its row locked; it becomes closing.

    Returns:
        The next round and the job, both to be stored.

    Raises:
        Conflict: The settings allow no further round.
    """
    following = next_round(project, last.number)
    if following is None:
        raise Conflict(
            "rounds_used_up",
            f"The project has had the {last.number + 1} rounds that its settings allow; raise "
            "max_rounds, or leave it empty, and continue then.",
            field="settings.max_rounds",
        )
    return following, _advance(project, last, following)


def _advance(project: Project, round_: Round, following: Round | None) -> Job:
    """Begin to close a round; the job does it, and opens the one that follows."""
    move_round(round_, RoundState.CLOSING)
    return new_job(
        JobKind.ADVANCE_ROUND,
        project_id=project.id,
        params=AdvanceParams(
            closing=round_.number,
            selecting=following.number if following is not None else None,
        ).to_json(),
    )
