"""Telling browsers that something changed, through PostgreSQL's LISTEN and NOTIFY."""

import json
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final

from sqlalchemy import Select, func, select

CHANNEL: Final = "karat"


class Topic(StrEnum):
    """What an event is about. ``frontend/src/api/events.ts`` says what pages read again."""

    PROJECT = "project"
    """Anything of the project: its state, settings, guidelines, classes."""
    ROUND = "round"
    JOB = "job"
    POOL = "pool"
    """Images: what there is, and which are asked about."""
    REVIEW = "review"
    GUIDE = "guide"
    """What belongs to each class: texts, and images that show it."""
    CERTIFICATE = "certificate"
    """What is promised of labels that a model gives, and how far people are with it."""
    MEMBER = "member"
    WEBHOOK = "webhook"
    SNAPSHOT = "snapshot"


def notify(project_id: int, topic: Topic, data: Mapping[str, Any]) -> Select[Any]:
    """Statement that tells every API process about a change when the transaction commits.

    Args:
        project_id: Whose members to tell.
        topic: What has changed.
        data: Small and JSON-ready: PostgreSQL refuses payloads of 8,000 bytes and more.
    """
    payload = json.dumps({"project_id": project_id, "event": topic, "data": data})
    return select(func.pg_notify(CHANNEL, payload))
