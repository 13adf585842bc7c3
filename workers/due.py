"""Whether what the scheduler asks for again and again has anything to do."""

import logging
from collections.abc import Mapping
from typing import Final

from sqlalchemy import ColumnElement, exists, func, or_, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session, sessionmaker

from core.jobs.messages import DeliverWebhooks, GoOnCertifying, Housekeeping, RemoveFiles, Sweep
from core.states import CertificateState, JobState
from core.tables import (
    Certificate,
    Delivery,
    Job,
    Judge,
    PublishedWeights,
    RemovalItem,
    Sync,
    Webhook,
    WebhookEvent,
    Weights,
    Withdrawal,
    Worker,
)
from workers.imports.sync.due import is_due

logger = logging.getLogger(__name__)

# Each is true whenever its task would find work that somebody may wait for, and may be at other
# times. What comes up in the course of hours, such as plans that nobody answers, is left to the
# messages that are sent without a look.
_LOOKS: Final[Mapping[type[Housekeeping], ColumnElement[bool]]] = {
    Sweep: or_(
        exists().where(Job.state.in_((JobState.QUEUED, JobState.RUNNING))),
        exists().where(Worker.heartbeat_at > func.clock_timestamp()),
        exists(select(Sync.id).where(is_due())),
        exists().where(Weights.checked_at.is_(None)),
        exists().where(PublishedWeights.checked_at.is_(None)),
        exists().where(Judge.trial_asked_at.is_not(None), Judge.trial.is_(None)),
    ),
    RemoveFiles: or_(
        exists(select(RemovalItem.id)), exists().where(Withdrawal.erased_at.is_(None))
    ),
    DeliverWebhooks: or_(
        exists().where(~WebhookEvent.handed_out),
        exists().where(
            Webhook.active, Delivery.webhook_id == Webhook.id, Delivery.due_at.is_not(None)
        ),
    ),
    GoOnCertifying: exists().where(
        Certificate.state.in_(
            (CertificateState.ASKING, CertificateState.APPLYING, CertificateState.REVOKING)
        )
    ),
}
_STATEMENT: Final = select(*(look.label(message.task) for message, look in _LOOKS.items()))


def nothing_to_do(factory: sessionmaker[Session]) -> frozenset[str]:
    """Names of the tasks that would find nothing to do; none if that cannot be told.

    Args:
        factory: Of sessions.
    """
    try:
        with factory() as session:
            session.connection(execution_options={"isolation_level": "AUTOCOMMIT"})
            found = session.execute(_STATEMENT).one()._mapping
    except SQLAlchemyError as error:
        logger.warning("nobody knows what there is to do, so all of it is asked for: %s", error)
        return frozenset()
    return frozenset(name for name, is_wanted in found.items() if not is_wanted)
