from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath
from typing import Final

from sqlalchemy import Select, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from api.access import seen
from api.audit import record
from api.principal import Principal
from api.weights.receiving import Asked, Kept
from api.weights.schemas import State, Uploader, UsingProject, WeightsOut
from core import queue
from core.errors import Conflict, Invalid, NotFound
from core.messages import CheckWeights
from core.states import RoundState
from core.tables import Project, Round, User, Weights
from core.weights import LIBRARIES, Library
from models.errors import ModelError
from models.networks.weight_files.header import require_name

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


async def listed(session: AsyncSession, principal: Principal) -> list[WeightsOut]:
    rows = (await session.execute(_with_uploader().order_by(Weights.name))).all()
    return await _shown(session, principal, [(row[0], row[1]) for row in rows])


async def described(session: AsyncSession, principal: Principal, weights_id: int) -> WeightsOut:
    row = (await session.execute(_with_uploader().where(Weights.id == weights_id))).one_or_none()
    if row is None:
        raise NotFound("file of weights")
    return (await _shown(session, principal, [(row[0], row[1])]))[0]


def _with_uploader() -> Select[Weights, User]:
    return select(Weights, User).outerjoin(User, User.id == Weights.created_by)


async def _shown(
    session: AsyncSession, principal: Principal, rows: Sequence[tuple[Weights, User | None]]
) -> list[WeightsOut]:
    using = await _using(session, principal, [weights.name for weights, _ in rows])
    return [
        WeightsOut(
            **{
                name: getattr(weights, name)
                for name in (
                    "id", "name", "architecture", "filename", "sha256", "bytes", "tensors", "meta",
                    "left_aside", "problem", "created_at",
                )
            },
            library=weights.library,
            state=state_of(weights),
            used_by=using.get(weights.name, []),
            created_by=Uploader.model_validate(user) if user else None,
        )
        for weights, user in rows
    ]  # fmt: skip


def state_of(weights: Weights) -> State:
    """Where the check of weights is."""
    if weights.checked_at is None:
        return "checking"
    return "ready" if weights.problem is None else "refused"


async def _using(
    session: AsyncSession, principal: Principal | None, names: Iterable[str]
) -> dict[str, list[UsingProject]]:
    """Projects that start from weights of these names, of those that ``principal`` sees.

    By their settings, or by those of a round that has not ended: it works with what was chosen
    when it began.
    """
    name = Project.settings["model"]["params"]["weights"].astext
    library = Project.settings["model"]["name"].astext
    of_round = Round.settings["model"]["params"]["weights"].astext
    running = select(Round.project_id, of_round.label("name")).where(
        Round.state != RoundState.CLOSED,
        Round.settings["model"]["name"].astext.in_(LIBRARIES),
        of_round.in_(names),
    )
    now = select(Project.id, name.label("name")).where(library.in_(LIBRARIES), name.in_(names))
    found = now.union(running).subquery()
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


async def require_free(session: AsyncSession, asked: Asked) -> None:
    """Refuse a name that is taken, before anything is sent.

    Raises:
        Conflict: ``name_taken``.
    """
    if await session.scalar(select(Weights.id).where(Weights.name == asked.name)) is not None:
        raise Conflict(
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
) -> WeightsOut:
    """Note weights whose file is where it belongs, and have a worker look at them."""
    # Names and files are compared, and those of another upload may not be committed yet.
    await session.execute(select(func.pg_advisory_xact_lock(_LOCK)))
    await require_free(session, asked)
    same = await session.scalar(select(Weights.name).where(Weights.sha256 == kept.sha256))
    if same is not None:
        raise Conflict(
            "weights_there",
            f"This very file is there already, as {same!r}; choose that, or delete it first.",
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
    record(
        session, principal, "upload", "weights", weights.id, name=weights.name,
        library=library, architecture=architecture, sha256=kept.sha256,
    )  # fmt: skip
    queue.remember(session.info, CheckWeights())
    return await described(session, principal, weights.id)


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
            f"The weights {weights.name!r} are what these projects start from: {names}. Choose "
            "others there first.",
        )
    record(session, principal, "delete", "weights", weights.id, name=weights.name)
    await session.delete(weights)
    return weights.storage_key
