"""Which letter a webhook gets next, and what is noted of it.

An attempt is counted before it is made, in a transaction of its own. A worker that is killed while
it sends, or before it has noted what came of it, leaves a delivery that is due again a little
later, under the same message id: receivers may get it twice, and never not at all.

Deliveries to one webhook are made one after the other, in the order of the events. One that fails
holds up those after it for its first attempts, a few minutes; then they overtake it, so that an
event which a receiver cannot take does not keep it from all others.
"""

import json
import logging
import random
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final
from urllib.parse import urlsplit

from sqlalchemy import case, func, or_, select, update
from sqlalchemy.orm import Session

from core.settings import Settings
from core.states import SwitchedOff
from core.tables import Audit, Delivery, Project, Webhook, WebhookEvent
from core.webhooks import message_id, old_secrets, payload
from workers.jobs.context import sessions
from workers.webhooks.handing_out import forget, hand_out
from workers.webhooks.sending import Letter, Outcome, send

logger = logging.getLogger(__name__)

MOST_ATTEMPTS: Final = 15
"""The last is made about two days after the first."""
HOLDS_UP: Final = 3
"""Attempts for which a delivery that fails keeps back those after it."""
OFF_AFTER: Final = timedelta(days=1)
"""Nothing got through for so long when a delivery is given up: the webhook is switched off."""
_FIRST_PAUSE: Final = 5.0
# Seconds that a receiver may ask for while others are held up.
_LONGEST_HOLD: Final = 180.0
_LONGEST_PAUSE: Final = 6 * 3600.0
_AT_ONCE: Final = 8
# After that the worker does something else, and the next sweep goes on.
_RUN_SECONDS: Final = 20.0


@dataclass(frozen=True)
class _Claim:
    """A delivery that this process may make; ``attempt`` shows whether it still may note it."""

    delivery_id: int
    attempt: int
    letter: Letter


def deliver(settings: Settings) -> None:
    """Hand out new events and make every delivery that is due."""
    more = True
    while more:
        with sessions().begin() as session:
            more = hand_out(session)
    with sessions().begin() as session:
        forget(session)
        _correct(session)
        due = _with_something_due(session)
    with ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="webhook") as threads:
        for done in [threads.submit(_drain, webhook_id, settings) for webhook_id in due]:
            done.result()


def _correct(session: Session) -> None:
    """After the clock was set back, let pauses end as soon as they would have."""
    now = datetime.now(UTC)
    dated = func.coalesce(Delivery.sent_at, Delivery.due_at)
    sent = case((Delivery.sent_at.is_not(None), now))
    session.execute(
        update(Delivery)
        .where(Delivery.due_at.is_not(None), dated > now)
        .values(due_at=Delivery.due_at - (dated - now), sent_at=sent)
    )


def _with_something_due(session: Session) -> Sequence[int]:
    statement = (
        select(Delivery.webhook_id)
        .join(Webhook, Webhook.id == Delivery.webhook_id)
        .where(Webhook.active, Delivery.due_at <= datetime.now(UTC))
        .distinct()
    )
    return session.scalars(statement).all()


def _drain(webhook_id: int, settings: Settings) -> None:
    """Make what is due of one webhook, in order, until something fails."""
    end = time.monotonic() + _RUN_SECONDS
    while time.monotonic() < end:
        with sessions().begin() as session:
            claim = _claim(session, webhook_id, settings)
        if claim is None:
            return
        outcome = send(claim.letter, settings.allowed, settings.webhook_seconds)
        with sessions().begin() as session:
            _note(session, webhook_id, claim, outcome)
        if outcome.fault is not None:
            return


def _claim(session: Session, webhook_id: int, settings: Settings) -> _Claim | None:
    """The next letter of a webhook; none if nothing is due, or something must go before."""
    hook = session.scalar(
        select(Webhook)
        .where(Webhook.id == webhook_id, Webhook.active)
        .with_for_update(key_share=True, skip_locked=True)
    )
    if hook is None:
        return None
    now = datetime.now(UTC)
    first = (
        select(Delivery, WebhookEvent, Project.name)
        .join(WebhookEvent, WebhookEvent.id == Delivery.event_id)
        .outerjoin(Project, Project.id == WebhookEvent.project_id)
        .where(
            Delivery.webhook_id == hook.id,
            Delivery.due_at.is_not(None),
            or_(Delivery.due_at <= now, Delivery.attempts <= HOLDS_UP),
        )
        .order_by(Delivery.id)
        .limit(1)
    )
    found = session.execute(first).one_or_none()
    if found is None:
        return None
    delivery, event, project = found
    if delivery.due_at is None or delivery.due_at > now:
        return None
    delivery.attempts += 1
    delivery.sent_at = now
    delivery.due_at = now + timedelta(seconds=2 * settings.webhook_seconds + 30)
    secrets = [hook.secret, *old_secrets(hook, now)]
    said = payload(event, project, settings.public_url)
    body = json.dumps(said, ensure_ascii=False, separators=(",", ":")).encode()
    letter = Letter(hook.url, secrets, message_id(event), body)
    return _Claim(delivery.id, delivery.attempts, letter)


def _note(session: Session, webhook_id: int, claim: _Claim, outcome: Outcome) -> None:
    """Write down what came of an attempt, unless somebody else makes the next one already."""
    hook = session.get(Webhook, webhook_id, with_for_update={"key_share": True})
    delivery = session.get(Delivery, claim.delivery_id)
    if hook is None or delivery is None or delivery.attempts != claim.attempt:
        return
    now = datetime.now(UTC)
    delivery.status = outcome.status
    delivery.fault = outcome.fault
    delivery.detail = outcome.detail
    delivery.response = outcome.response
    delivery.seconds = outcome.seconds
    if outcome.fault is None:
        delivery.delivered_at, delivery.due_at = now, None
        hook.failing_since = None
        return
    hook.failing_since = hook.failing_since or now
    last = delivery.attempts >= MOST_ATTEMPTS
    wait = outcome.wait
    if delivery.attempts <= HOLDS_UP:
        wait = min(wait, _LONGEST_HOLD)
    pause = max(_pause(delivery.attempts), wait)
    delivery.due_at = None if last or outcome.gone else now + timedelta(seconds=pause)
    logger.warning(
        "webhook %s at %s: attempt %s failed: %s",
        hook.id, urlsplit(hook.url).hostname, delivery.attempts, outcome.fault,
    )  # fmt: skip
    if outcome.gone:
        _switch_off(session, hook, SwitchedOff.GONE, now)
    elif last and hook.failing_since <= now - OFF_AFTER:
        _switch_off(session, hook, SwitchedOff.FAILING, now)


def _pause(attempts: int) -> float:
    """Seconds until the next attempt: 5, 20, 80, … up to 6 hours, each a fifth more or less."""
    pause = min(_FIRST_PAUSE * 4.0 ** (attempts - 1), _LONGEST_PAUSE)
    return pause * random.uniform(0.8, 1.2)


def _switch_off(session: Session, hook: Webhook, reason: SwitchedOff, now: datetime) -> None:
    hook.active = False
    hook.off_reason, hook.off_at = reason, now
    session.add(
        Audit(
            actor_id=None,
            project_id=hook.project_id,
            verb="switch_off",
            object_type="webhook",
            object_id=hook.id,
            detail={"host": urlsplit(hook.url).hostname, "reason": reason.value},
        )
    )
    logger.warning("webhook %s is switched off: %s", hook.id, reason)
