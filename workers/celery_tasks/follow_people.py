"""Selections follow what people say after their round has closed."""

from typing import Any

from core.files.storage import Storage
from core.jobs.messages import FollowPeople
from core.settings import settings
from workers.app import app
from workers.jobs.context import sessions


@app.task(name=FollowPeople.task)  # type: ignore[untyped-decorator]
def follow_people(payload: dict[str, Any]) -> None:
    """Follow whatever has changed since; what reads files is imported only where this runs."""
    from workers.instructions.late import follow_all

    message = FollowPeople.model_validate(payload)
    follow_all(sessions(), Storage.of(settings()), project_id=message.project_id)
