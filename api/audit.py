"""Writing down who did what."""

from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from api.principal import Principal
from core.tables import Audit


def record(
    session: AsyncSession,
    actor: Principal,
    verb: str,
    object_type: str,
    object_id: int | None,
    *,
    project_id: int | None = None,
    **detail: Any,
) -> None:
    """Add an audit row to the caller's transaction."""
    session.add(
        Audit(
            actor_id=actor.id,
            project_id=project_id,
            verb=verb,
            object_type=object_type,
            object_id=object_id,
            detail=detail,
        )
    )
