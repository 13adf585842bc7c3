from typing import Final
from urllib.parse import urlsplit

from anyio import to_thread
from pydantic import SecretStr
from sqlalchemy import Select, and_, exists, func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from api.audit import record
from api.callers.principal import Principal
from api.judges.schemas import JudgeCreate, JudgeOut, JudgeUpdate, Trial
from api.schemas.addresses import require_allowed
from core.errors import Conflict, Invalid, NotFound
from core.jobs import queue
from core.jobs.messages import TryJudges
from core.security.judge_keys import origin, sealed_for
from core.security.sealing import Sealer
from core.settings import Settings
from core.states import JobState
from core.tables import UNANSWERED, Job, Judge, JudgeAnswer

_LOCK: Final = 0x6A75646765
_REQUIRED: Final = ("name", "base_url", "model", "concurrency", "timeout", "max_tokens")
_SHOWN: Final = JudgeOut.model_fields.keys() - {"has_key", "trial"}


async def listed(session: AsyncSession) -> list[JudgeOut]:
    return [described(one) for one in await session.scalars(select(Judge).order_by(Judge.name))]


async def find(session: AsyncSession, judge_id: int, *, lock: bool = False) -> Judge:
    judge = await session.get(Judge, judge_id, with_for_update=lock or None)
    if judge is None:
        raise NotFound("judge")
    return judge


def described(judge: Judge) -> JudgeOut:
    return JudgeOut.model_validate(
        {
            **{name: getattr(judge, name) for name in _SHOWN},
            "has_key": judge.key_sealed is not None,
            "trial": _trial(judge),
        }
    )


async def create(
    session: AsyncSession, principal: Principal, settings: Settings, body: JudgeCreate
) -> JudgeOut:
    await _require_free(session, body.name)
    _require_allowed(body.base_url, settings)
    judge = Judge(**body.model_dump(exclude={"key"}), created_by=principal.id)
    if body.key is not None:
        judge.key_sealed = await _sealed(settings, body.key, body.base_url)
    session.add(judge)
    await session.flush()
    await session.refresh(judge)
    _record(session, principal, "create", judge, has_key=judge.key_sealed is not None)
    return described(judge)


async def update(
    session: AsyncSession, principal: Principal, settings: Settings, judge: Judge,
    body: JudgeUpdate,
) -> JudgeOut:  # fmt: skip
    """Change what was sent.

    Raises:
        Invalid: ``key_required`` where the address is another server's and the key was not sent.
        Conflict: ``name_taken``.
    """
    changes = {name: getattr(body, name) for name in body.model_fields_set}
    for name in _REQUIRED:
        if name in changes and changes[name] is None:
            raise Invalid("invalid_value", "This cannot be empty.", field=name)
    if changes.get("name", judge.name) != judge.name:
        await _require_free(session, changes["name"])
    url = changes.get("base_url", judge.base_url)
    if "base_url" in changes:
        _require_allowed(url, settings)
    if "key" in changes:
        key = changes.pop("key")
        judge.key_sealed = None if key is None else await _sealed(settings, key, url)
    elif judge.key_sealed is not None and origin(url) != origin(judge.base_url):
        raise Invalid(
            "key_required",
            "This is another server than the one that the key was given for. Enter the key for it, "
            "or remove the key.",
            field="key",
        )
    for name, value in changes.items():
        setattr(judge, name, value)
    # What was tried is no longer what there is.
    judge.trial_asked_at = judge.trial = None
    _record(session, principal, "update", judge, fields=sorted(body.model_fields_set))
    await session.flush()
    return described(judge)


async def remove(session: AsyncSession, principal: Principal, judge: Judge) -> None:
    """Forget a judge, and what it has answered.

    Raises:
        Conflict: ``judge_in_use``, naming a job.
    """
    job = await session.scalar(_asking(judge).order_by(Job.id).limit(1))
    if job is not None and job.state is JobState.FAILED:
        raise Conflict(
            "judge_in_use",
            f"Job {job.id} has stopped, and a retry goes on from what this judge has answered. "
            "Retry it first; to give it up, retry and cancel it.",
        )
    if job is not None and job.state is JobState.PAUSED:
        raise Conflict(
            "judge_in_use",
            f"Job {job.id} is paused, and goes on from what this judge has answered. Resume it "
            "first, or cancel it.",
        )
    if job is not None:
        raise Conflict(
            "judge_in_use", f"Job {job.id} asks this judge; wait for it, or cancel it first."
        )
    _record(session, principal, "delete", judge)
    await session.delete(judge)


def _asking(judge: Judge) -> Select[Job]:
    """Jobs that ask a judge, or go on from its answers when they are tried again."""
    paid = exists().where(
        JudgeAnswer.job_id == Job.id,
        JudgeAnswer.judge_id == judge.id,
        JudgeAnswer.finish.is_distinct_from(UNANSWERED),
    )
    asks = or_(Job.params["judge_id"].as_integer() == judge.id, paid)
    return select(Job).where(
        or_(
            and_(Job.state.in_((JobState.QUEUED, JobState.RUNNING, JobState.PAUSED)), asks),
            and_(Job.state == JobState.FAILED, paid),
        )
    )


async def attempt(session: AsyncSession, principal: Principal, judge: Judge) -> JudgeOut:
    """Have a worker ask the judge something."""
    judge.trial_asked_at, judge.trial = func.clock_timestamp(), None
    await session.flush()
    await session.refresh(judge)
    queue.remember(session.info, TryJudges())
    _record(session, principal, "try", judge)
    return described(judge)


async def _require_free(session: AsyncSession, name: str) -> None:
    await session.execute(select(func.pg_advisory_xact_lock(_LOCK)))
    if await session.scalar(select(Judge.id).where(Judge.name == name)) is not None:
        raise Conflict("name_taken", f"There is a judge {name!r} already.", field="name")


def _require_allowed(url: str, settings: Settings) -> None:
    require_allowed(url, settings.judges_allowed, variable="KARAT_JUDGE_ALLOW", field="base_url")


async def _sealed(settings: Settings, key: SecretStr, base_url: str) -> bytes:
    def seal() -> bytes:
        sealer = Sealer.of(settings, make=True)
        return sealer.seal(key.get_secret_value(), sealed_for(base_url))

    return await to_thread.run_sync(seal)


def _trial(judge: Judge) -> Trial | None:
    if judge.trial_asked_at is None:
        return None
    none = {"tried_at": None, "ok": False, "text": None, "seconds": None, "problem": None}
    return Trial.model_validate({**none, **(judge.trial or {}), "asked_at": judge.trial_asked_at})


def _record(
    session: AsyncSession, principal: Principal, verb: str, judge: Judge, **detail: object
) -> None:
    host = urlsplit(judge.base_url).hostname
    record(
        session, principal, verb, "judge", judge.id, project_id=None, name=judge.name, host=host,
        model=judge.model, **detail,
    )  # fmt: skip
