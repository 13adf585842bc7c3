"""Telling browsers that something changed, through PostgreSQL's LISTEN and NOTIFY."""

import json
from typing import Any, Final

from sqlalchemy import Select, func, select

CHANNEL: Final = "karat"


def notify(project_id: int, event: str, data: dict[str, Any]) -> Select[Any]:
    """Statement that tells every API process about ``event`` when the transaction commits.

    Args:
        project_id: Whose members to tell.
        event: ``job``, ``round``, ``project`` or ``pool``.
        data: Small and JSON-ready: PostgreSQL refuses payloads of 8,000 bytes and more.
    """
    payload = json.dumps({"project_id": project_id, "event": event, "data": data})
    return select(func.pg_notify(CHANNEL, payload))
