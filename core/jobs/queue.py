"""Sending messages to the workers, after the transaction that they belong to has committed."""

import logging
from functools import lru_cache
from typing import Any

from celery import Celery
from kombu.exceptions import OperationalError

from core.jobs.messages import Message, RunJob
from core.settings import settings
from core.tables import Job

logger = logging.getLogger(__name__)

_OUTBOX = "karat_outbox"
# Longer than any job: redelivery by the broker is the last resort. A dead worker's job is
# found by its silent heartbeat long before.
_VISIBILITY_SECONDS = 7 * 24 * 3600


@lru_cache
def celery() -> Celery:
    """The process's Celery application, for sending and for working."""
    app = Celery("karat", broker=settings().redis_url)
    app.conf.update(
        accept_content=["json"],
        task_serializer="json",
        task_ignore_result=True,
        result_backend=None,
        task_acks_late=True,
        task_reject_on_worker_lost=True,
        worker_prefetch_multiplier=1,
        worker_hijack_root_logger=False,
        broker_connection_retry_on_startup=True,
        broker_transport_options={
            "visibility_timeout": _VISIBILITY_SECONDS,
            "socket_connect_timeout": 2,
            "socket_timeout": 30,
            # Without a broker a request goes on at once: the sweeper sends its message later.
            "max_retries": 1,
            "interval_start": 0,
            "interval_step": 0,
        },
        task_publish_retry=False,
    )
    return app


def enqueue(info: dict[Any, Any], job: Job) -> None:
    """Remember to send the message of ``job`` once its session commits.

    Args:
        info: ``session.info`` of the session the job was added to.
        job: The job; it must have been flushed, so that it has an id.
    """
    remember(info, RunJob.of(job))


def remember(info: dict[Any, Any], message: Message) -> None:
    """Remember to send ``message`` once the session of ``info`` commits, and only once."""
    outbox: list[Message] = info.setdefault(_OUTBOX, [])
    if message not in outbox:
        outbox.append(message)


def deliver(info: dict[Any, Any]) -> None:
    """Send what ``enqueue`` remembered. Call after commit; blocks on the broker.

    A message that cannot be sent is not an error: its job row stays queued, and the sweeper sends
    it again.
    """
    for message in info.pop(_OUTBOX, []):
        try:
            send(message)
        except OperationalError as error:
            logger.warning("broker away, %s waits for the sweeper: %s", message, error)


def pending(info: dict[Any, Any]) -> bool:
    """Whether ``deliver`` has anything to send."""
    return bool(info.get(_OUTBOX))


def send(message: Message) -> None:
    """Send ``message`` now.

    Raises:
        kombu.exceptions.OperationalError: The broker cannot be reached.
    """
    # What is not said a worker of an earlier version does not have to know.
    payload = message.model_dump(mode="json", exclude_defaults=True)
    celery().send_task(message.task, kwargs={"payload": payload}, queue=message.queue)


def waiting(queue: str) -> int:
    """Messages in ``queue`` that no worker has taken.

    Raises:
        kombu.exceptions.OperationalError: The broker does not say.
    """
    # One that is there already: to connect takes six questions, and this is one.
    with celery().pool.acquire(block=True) as connection:
        client = connection.default_channel.client
        try:
            return int(client.llen(queue))
        except connection.recoverable_connection_errors as error:
            raise OperationalError(str(error)) from error


def ping() -> None:
    """Raise ``OperationalError`` if the broker cannot be reached within two seconds."""
    with celery().connection_for_read() as connection:
        connection.ensure_connection(max_retries=1, timeout=2)
