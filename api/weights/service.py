from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath
from typing import Final

from anyio import to_thread
from sqlalchemy import Select, func, select, union
from sqlalchemy.ext.asyncio import AsyncSession

from api.audit import record
from api.callers.access import seen
from api.callers.principal import Principal
from api.weights.receiving import Asked, Kept, is_there, lost
from api.weights.schemas import State, Uploader, UsingProject, WeightsOut
from core.errors import Conflict, Invalid, NotFound
from core.files.storage import Storage
from core.jobs import queue
from core.jobs.messages import CheckWeights
from core.settings.weights import LIBRARIES, Library
from core.states import JobState, RoundState
from core.tables import Job, Project, Round, User, Weights
from models.errors import ModelError
from models.media.images.weight_files.header import require_name

_LOCK: Final = 0x77656967687473


def asked(filename: str, name: str | None) -> Asked:
    """The names of weights, if their file may be some.

    Raises:
        Invalid: ``invalid_weights`` or ``invalid_value``.
    """
    file = PurePosixPath(filename.replace("\\", "/")).name
    try:
        require_name(file)
    except ModelError as error:
        raise Invalid("invalid_weights", str(error), field="filename") from error
    chosen = (PurePosixPath(file).stem if name is None else name).strip()
    if not 1 <= len(chosen) <= 100 or not chosen.isprintable():
        raise Invalid("invalid_value", "Name the weights, in up to 100 letters.", field="name")
    return Asked(chosen, file)


async def listed(session: AsyncSession, principal: Principal, storage: Storage) -> list[WeightsOut]:
    rows = (await session.execute(_with_uploader().order_by(Weights.name))).all()
    return await _shown(session, principal, storage, [(row[0], row[1]) for row in rows])


async def described(
    session: AsyncSession,
    principal: Principal,
    storage: Storage,
    weights_id: int,
    *,
    just_came: bool = False,
) -> WeightsOut:
    """Weights as the pages show them; a file that has just come is there, and not read again."""
    row = (await session.execute(_with_uploader().where(Weights.id == weights_id))).one_or_none()
    if row is None:
        raise NotFound("file of weights")
    return (await _shown(session, principal, storage, [(row[0], row[1])], just_came=just_came))[0]


def _with_uploader() -> Select[Weights, User]:
    return select(Weights, User).outerjoin(User, User.id == Weights.created_by)


async def _shown(
    session: AsyncSession,
    principal: Principal,
    storage: Storage,
    rows: Sequence[tuple[Weights, User | None]],
    *,
    just_came: bool = False,
) -> list[WeightsOut]:
    using = await _using(session, principal, [weights.name for weights, _ in rows])
    gone: set[int] = set()
    if not just_came:
        gone = await to_thread.run_sync(lost, [weights for weights, _ in rows], storage)
    return [
        WeightsOut(
            **{
                name: getattr(weights, name)
                for name in (
                    "id", "name", "architecture", "filename", "sha256", "bytes", "tensors", "meta",
                    "left_aside", "created_at",
                )
            },
            problem=weights.refusal,
            library=weights.library,
            state=state_of(weights, is_lost=weights.id in gone),
            used_by=using.get(weights.name, []),
            created_by=Uploader.model_validate(user) if user else None,
        )
        for weights, user in rows
    ]  # fmt: skip


def state_of(weights: Weights, *, is_lost: bool) -> State:
    """Where the check of weights is, or that there is nothing to check and to use any more."""
    if weights.refusal is not None:
        return "refused"
    if is_lost:
        return "lost"
    return "checking" if weights.checked_at is None else "ready"


async def _using(
    session: AsyncSession, principal: Principal | None, names: Iterable[str]
) -> dict[str, list[UsingProject]]:
    """Projects that need weights of these names, of those that ``principal`` sees.

    By their settings, or by those of a round that has not ended, which works with what was chosen
    when it began; or by a job that has not, which names them for itself.
    """
    asked = [
        select(id_.label("id"), named.label("name")).where(chosen.in_(kinds), named.in_(names), *of)
        for id_, settings, of in (
            (Project.id, Project.settings, ()),
            (Round.project_id, Round.settings, (Round.state != RoundState.CLOSED,)),
        )
        for chosen, named, kinds in (
            (
                settings["model"]["name"].astext,
                settings["model"]["params"]["weights"].astext,
                LIBRARIES,
            ),
            (
                settings["purity"]["name"].astext,
                settings["purity"]["params"]["uploaded"].astext,
                ("clip",),
            ),
        )
    ]
    of_job = Job.params["weights"].astext
    jobs = select(Job.project_id, of_job).where(
        Job.state.in_((JobState.QUEUED, JobState.RUNNING)), of_job.in_(names)
    )
    found = union(*asked, jobs).subquery()
    statement = (
        select(found.c.name, Project.id, Project.name)
        .join(Project, Project.id == found.c.id)
        .order_by(Project.id)
    )
    if principal is not None:
        statement = statement.where(seen(principal, Project.id))
    using: dict[str, list[UsingProject]] = {}
    for weights, project_id, project in (await session.execute(statement)).all():
        using.setdefault(weights, []).append(UsingProject(id=project_id, name=project))
    return using


async def require_free(session: AsyncSession, asked: Asked, storage: Storage) -> None:
    """Refuse a name that is taken, before anything is sent, unless the file may be put back.

    Raises:
        Conflict: ``name_taken``.
    """
    taken = await _called(session, asked.name)
    if taken is not None and await to_thread.run_sync(is_there, taken, storage):
        raise _name_taken(asked)


async def _called(session: AsyncSession, name: str) -> Weights | None:
    found: Weights | None = await session.scalar(select(Weights).where(Weights.name == name))
    return found


async def of_file(session: AsyncSession, kept: Kept) -> Weights | None:
    """The weights that this very file was uploaded for before, if it was."""
    statement = select(Weights).where(Weights.sha256 == kept.sha256)
    found: Weights | None = await session.scalar(statement)
    return found


def _name_taken(asked: Asked) -> Conflict:
    return Conflict(
        "name_taken",
        f"There are weights {asked.name!r} already; give these another name.",
        field="name",
    )


async def add(
    session: AsyncSession,
    principal: Principal,
    asked: Asked,
    kept: Kept,
    library: Library,
    architecture: str,
    storage: Storage,
    lost_key: str | None,
) -> WeightsOut:
    """Note weights whose file is where it belongs, and have a worker look at them.

    Args:
        session: Of the transaction.
        principal: Who uploads it.
        asked: What to call them.
        kept: Their file.
        library: Whose architecture they are of.
        architecture: What they are weights of.
        storage: Where it is.
        lost_key: Of the same file, if it was uploaded before and lost: this one takes its place,
            and nothing else is noted.

    Raises:
        Conflict: ``name_taken``, or ``weights_there``.
    """
    # Names and files are compared, and those of another upload may not be committed yet.
    await session.execute(select(func.pg_advisory_xact_lock(_LOCK)))
    same = await of_file(session, kept)
    # Another upload may have put it back meanwhile.
    if same is not None and same.storage_key == lost_key:
        same.storage_key = kept.key
        same.checked_at = same.problem = None
        return await _noted(session, principal, storage, same)
    if await _called(session, asked.name) is not None:
        raise _name_taken(asked)
    if same is not None:
        raise Conflict(
            "weights_there",
            f"This very file is there already, as {same.name!r}; choose that, or delete it first.",
            field="body",
        )
    weights = Weights(
        name=asked.name,
        library=library,
        architecture=architecture,
        filename=asked.filename,
        storage_key=kept.key,
        sha256=kept.sha256,
        bytes=kept.bytes,
        tensors=kept.tensors,
        meta=kept.meta,
        created_by=principal.id,
    )
    session.add(weights)
    await session.flush()
    return await _noted(session, principal, storage, weights)


async def _noted(
    session: AsyncSession, principal: Principal, storage: Storage, weights: Weights
) -> WeightsOut:
    record(
        session, principal, "upload", "weights", weights.id, name=weights.name,
        library=weights.library, architecture=weights.architecture, sha256=weights.sha256,
    )  # fmt: skip
    queue.remember(session.info, CheckWeights())
    # Other uploads wait for this one, and it may be of gigabytes.
    return await described(session, principal, storage, weights.id, just_came=True)


async def remove(session: AsyncSession, principal: Principal, weights_id: int) -> str:
    """Forget weights; returns where their file is, which goes after the commit.

    Raises:
        Conflict: ``weights_in_use``, naming the projects.
    """
    # Whoever chooses them shares this lock until that is committed.
    weights = await session.get(Weights, weights_id, with_for_update=True)
    if weights is None:
        raise NotFound("file of weights")
    using = (await _using(session, None, [weights.name])).get(weights.name, [])
    if using:
        names = ", ".join(one.name for one in using[:10]) + (", ..." if len(using) > 10 else "")
        raise Conflict(
            "weights_in_use",
            f"The weights {weights.name!r} are what these projects or their jobs start from: "
            f"{names}. Choose others there, or let the jobs end, first.",
        )
    record(session, principal, "delete", "weights", weights.id, name=weights.name)
    await session.delete(weights)
    return weights.storage_key
