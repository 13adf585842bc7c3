"""One request to somebody else's machine, which may be slow, hostile or not what it seems."""

import asyncio
import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import httpx

from core.settings.addresses import Allowed
from core.states import DeliveryFault
from workers.outgoing import (
    NotAllowed,
    Unresolved,
    asked_to_wait,
    new_client,
    permitted,
    pinned_post,
)
from workers.webhooks.signing import signature

logger = logging.getLogger(__name__)

_READ_BYTES: Final = 2048
_SHOWN: Final = 500
_GONE: Final = 410
_LONGEST_WAIT: Final = 3600.0


@dataclass(frozen=True)
class Letter:
    """What is sent, and where to.

    Attributes:
        url: Of the webhook.
        secrets: Each signs.
        message_id: The same for every attempt.
        body: JSON.
    """

    url: str
    secrets: Sequence[str]
    message_id: str
    body: bytes


@dataclass(frozen=True)
class Outcome:
    """What came of an attempt.

    Attributes:
        status: Of the response, if one came.
        fault: What is wrong; none if it was accepted.
        detail: The same for people who look closer.
        response: How its body begins.
        seconds: How long it took.
        wait: Seconds that the receiver wants to be left alone, at most an hour.
    """

    status: int | None = None
    fault: DeliveryFault | None = None
    detail: str | None = None
    response: str | None = None
    seconds: float = 0.0
    wait: float = 0.0

    @property
    def gone(self) -> bool:
        """Whether the receiver says that it wants nothing any more."""
        return self.status == _GONE


class _Failed(Exception):
    def __init__(self, fault: DeliveryFault, detail: str) -> None:
        super().__init__(detail)
        self.outcome = Outcome(fault=fault, detail=detail[:_SHOWN])


def send(letter: Letter, allowed: Allowed, seconds: float) -> Outcome:
    """Send ``letter`` once and wait for the answer; never raises for what the other side does.

    Args:
        letter: What to send.
        allowed: Which machines may be called.
        seconds: How long all of it may take.
    """
    start = time.monotonic()
    try:
        outcome = asyncio.run(_in_time(letter, allowed, seconds))
    except _Failed as failed:
        outcome = failed.outcome
    except TimeoutError:
        text = f"no answer within {seconds:g} s"
        outcome = Outcome(fault=DeliveryFault.TIMEOUT, detail=text)
    except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, OSError) as error:
        text = str(error) or type(error).__name__
        outcome = Outcome(fault=DeliveryFault.UNREACHABLE, detail=text[:_SHOWN])
    return replace(outcome, seconds=round(time.monotonic() - start, 3))


async def _in_time(letter: Letter, allowed: Allowed, seconds: float) -> Outcome:
    async with asyncio.timeout(seconds):
        url = httpx.URL(letter.url)
        try:
            addresses = await permitted(url, allowed)
        except Unresolved as error:
            raise _Failed(DeliveryFault.UNRESOLVED, str(error)) from error
        except NotAllowed as error:
            # What a name means inside the network is for the operator alone.
            logger.warning("a webhook may not be sent there: %s", error)
            raise _Failed(DeliveryFault.NOT_ALLOWED, "it has no public address") from error
        async with new_client() as client:
            for address in addresses[:-1]:
                try:
                    return await _post(client, url, address, letter)
                except httpx.ConnectError:
                    continue
            return await _post(client, url, addresses[-1], letter)


async def _post(client: httpx.AsyncClient, url: httpx.URL, address: str, letter: Letter) -> Outcome:
    timestamp = int(time.time())
    headers = {
        "webhook-id": letter.message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": signature(letter.secrets, letter.message_id, timestamp, letter.body),
    }
    request = pinned_post(client, url, address, letter.body, headers)
    response = await client.send(request, stream=True)
    try:
        return _outcome(response, await _beginning(response))
    finally:
        await response.aclose()


async def _beginning(response: httpx.Response) -> str:
    """How the body begins, as text that can be stored and shown."""
    content = b""
    async for chunk in response.aiter_raw(_READ_BYTES):
        content += chunk
        if len(content) >= _READ_BYTES:
            break
    text = content[:_READ_BYTES].decode("utf-8", "replace")[:_SHOWN]
    return "".join(one if one.isprintable() or one == "\n" else " " for one in text).strip()


def _outcome(response: httpx.Response, text: str) -> Outcome:
    outcome = Outcome(status=response.status_code, response=text)
    if response.is_success:
        return outcome
    if response.is_redirect:
        detail = f"it redirects to {response.headers.get('location', '')[:_SHOWN]}"
        return replace(outcome, fault=DeliveryFault.REDIRECTED, detail=detail)
    wait = asked_to_wait(response.headers, _LONGEST_WAIT) or 0.0
    detail = f"{response.status_code} {response.reason_phrase}".strip()
    return replace(outcome, fault=DeliveryFault.REFUSED, detail=detail, wait=wait)
