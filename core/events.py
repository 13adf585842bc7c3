"""Telling browsers that something changed, through PostgreSQL's LISTEN and NOTIFY."""

import json
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final

from sqlalchemy import Select, func, select

from core.tables import Certificate, Project, Round

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


def project_changed(project: Project) -> Select[Any]:
    """Statement that has pages read a project again."""
    return notify(project.id, Topic.PROJECT, {"state": project.state})


def round_changed(round_: Round) -> Select[Any]:
    """Statement that has pages read a round again."""
    data = {"number": round_.number, "state": round_.state}
    return notify(round_.project_id, Topic.ROUND, data)


def certificate_changed(certificate: Certificate) -> Select[Any]:
    """Statement that has pages read a certificate again."""
    data = {"id": certificate.id, "state": certificate.state}
    return notify(certificate.project_id, Topic.CERTIFICATE, data)
