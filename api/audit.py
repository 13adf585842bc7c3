"""Writing down who did what."""

from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy.ext.asyncio import AsyncSession

from api.callers.principal import Principal
from api.callers.sources import address, agent
from api.telling import READS, TOPICS, tell
from core.tables import Audit

OF_PEOPLE: Final = ("user", "member", "second_factor", "recovery_codes", "identity")
"""Types of objects whose number is that of a user."""


def record(
    session: AsyncSession,
    actor: Principal | None,
    verb: str,
    object_type: str,
    object_id: int | None,
    *,
    project_id: int | None = None,
    **detail: Any,
) -> None:
    """Add an audit row to the caller's transaction; the project's pages are told of the change.

    ``detail`` is read by people and kept for good: no passwords, tokens or other secrets in it, and
    nothing that names a person, as names can be erased. Where the request comes from is added.
    """
    session.add(
        Audit(
            actor_id=actor.id if actor else None,
            project_id=project_id,
            verb=verb,
            object_type=object_type,
            object_id=object_id,
            detail=detail,
            address=address.get(),
            agent=agent(),
        )
    )
    if project_id is not None and verb not in READS:
        tell(session, project_id, TOPICS[object_type])


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, list[Any]]:
    """What differs, by dotted path: the value before and the value after."""
    found: dict[str, list[Any]] = {}
    for name in sorted(before.keys() | after.keys()):
        one, other = before.get(name), after.get(name)
        if isinstance(one, Mapping) and isinstance(other, Mapping):
            inner = differences(one, other)
            found.update({f"{name}.{path}": pair for path, pair in inner.items()})
        elif one != other:
            found[name] = [one, other]
    return found
