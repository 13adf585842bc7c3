"""What servers answer, and what it means: an answer, a wait, a fault of one question, or an end."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Self

import httpx

from workers.outgoing import asked_to_wait

_MOST_BYTES: Final = 64 << 20
_SHOWN: Final = 300
_LONGEST_WAIT: Final = 600.0
# No count of tokens is larger, in PostgreSQL either.
_MOST_TOKENS: Final = (1 << 31) - 1
_HALVES: Final = re.compile("[\ud800-\udfff]")
# Parameters that not all models take.
_OPTIONAL: Final = ("max_completion_tokens", "max_tokens", "temperature", "seed")
_NOT_TAKEN: Final = ("unsupported", "not support", "unrecognized", "unknown", "extra", "permitted")
# What servers that decline a row call it.
_ABOUT_ROWS: Final = ("content_", "content-", "content filter", "policy", "moderat", "flagged")
_STOPS: Final[Mapping[int, str]] = {
    401: "unauthorized",
    402: "unpaid",
    404: "unknown_model",
}


class BadReply(Exception):
    """A body that is not what it should be."""


@dataclass(frozen=True)
class Verdict:
    """Why there is no answer, and what to do.

    Attributes:
        reason: In a word.
        detail: As the server says it.
        again: Whether to ask the same once more.
        full: It has too much to do.
        wait: Seconds that it wants to be left alone, if it says so.
        stop: Fault of the judge for which there is no use in asking anything.
        unwanted: Parameters, one of which it does not take.
        paid: It has probably worked on it, and wants to be paid for that.
    """

    reason: str
    detail: str
    again: bool = False
    full: bool = False
    wait: float | None = None
    stop: str | None = None
    unwanted: frozenset[str] = frozenset()
    paid: bool = False


@dataclass(frozen=True)
class Reply:
    """What a model said.

    Attributes:
        text: It.
        finish: Why it ended.
        tokens_in: As the server counts them, if it does.
        tokens_out: The same of the answer.
    """

    text: str
    finish: str | None
    tokens_in: int | None
    tokens_out: int | None

    @classmethod
    def parse(cls, content: bytes) -> Self:
        """Read the body of a chat completion.

        Raises:
            BadReply: It is none.
        """
        try:
            body = loaded(content)
            choice = body["choices"][0]
            message = choice["message"]
            text, finish = message.get("content"), choice.get("finish_reason")
            refusal = message.get("refusal")
        except (BadReply, KeyError, IndexError, TypeError, AttributeError) as error:
            raise BadReply("the body is no chat completion") from error
        if isinstance(refusal, str) and refusal:
            text, finish = refusal, "refusal"
        if text is None:
            text = ""
        if not isinstance(text, str):
            raise BadReply("the answer is no text")
        usage = body.get("usage")
        usage = usage if isinstance(usage, dict) else {}
        finish = clean(finish[:40]) if isinstance(finish, str) else None
        return cls(
            clean(text[:100_000]), finish, _count(usage, "prompt_tokens"),
            _count(usage, "completion_tokens"),
        )  # fmt: skip


def tokens_of(body: Any) -> int | None:
    """How many tokens of a prompt the server counts, if it does."""
    usage = body.get("usage") if isinstance(body, dict) else None
    return _count(usage, "prompt_tokens") if isinstance(usage, dict) else None


def clean(text: str) -> str:
    """Text as PostgreSQL, JSON and sockets take it: without NUL and halves of characters."""
    return _HALVES.sub("\ufffd", text.replace("\0", ""))


def loaded(content: bytes) -> Any:
    """What a body says as JSON.

    Raises:
        BadReply: It is none, or is nested deeper than anybody means it to be.
    """
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        raise BadReply("the body is no JSON") from error


async def read(response: httpx.Response) -> bytes:
    """The body.

    Raises:
        BadReply: It has no end, or is packed though nobody asked for that.
    """
    if response.headers.get("content-encoding", "identity").lower() != "identity":
        raise BadReply("the body is packed")
    parts, length = [], 0
    async for part in response.aiter_raw():
        length += len(part)
        if length > _MOST_BYTES:
            raise BadReply("the body is too long")
        parts.append(part)
    return b"".join(parts)


def verdict(
    status: int, headers: httpx.Headers, content: bytes, key: str | None = None
) -> Verdict | None:
    """What is wrong with a response; None if it is one to read.

    Args:
        status: Of the response.
        headers: Of the response.
        content: Its body.
        key: Of the judge: some servers repeat the one that they refuse, and nobody is to read it.
    """
    if 200 <= status < 300:
        return None
    said, code = _error(content, key)
    detail = f"{status} {said}".strip()
    if 300 <= status < 400:
        where = _line(headers.get("location", ""), key)
        return Verdict("redirected", f"to {where}", stop="redirected")
    if status in _STOPS:
        return Verdict(_STOPS[status], detail, stop=_STOPS[status])
    if status == 429 and code == "insufficient_quota":
        return Verdict("unpaid", detail, stop="unpaid")
    wait = asked_to_wait(headers, _LONGEST_WAIT)
    if status in (429, 503):
        return Verdict("full", detail, again=True, full=True, wait=wait)
    if status in (408, 409) or status >= 500:
        again = headers.get("x-should-retry", "true").lower() != "false"
        return Verdict("failed", detail, again=again, wait=wait)
    if status == 400 and any(word in said.lower() for word in _NOT_TAKEN):
        unwanted = frozenset(name for name in _OPTIONAL if name in said)
        return Verdict("failed", detail, again=bool(unwanted), unwanted=unwanted)
    about_row = any(word in f"{code or ''} {said}".lower() for word in _ABOUT_ROWS)
    if status == 403 and not about_row:
        return Verdict("forbidden", detail)
    reason = "refused" if about_row else "failed"
    return Verdict(reason, detail)


def _error(content: bytes, key: str | None) -> tuple[str, str | None]:
    """What an error says, on one line, and its code."""
    code = None
    try:
        body = loaded(content)
        error = body.get("error", body) if isinstance(body, dict) else body
        if isinstance(error, dict):
            code = error.get("code")
            error = error.get("message") or error.get("detail") or error
        text = error if isinstance(error, str) else json.dumps(error, ensure_ascii=False)
    except (BadReply, RecursionError):
        text = content.decode("utf-8", "replace")
    return _line(text, key), code if isinstance(code, str) else None


def _line(text: str, key: str | None) -> str:
    """The beginning of a text on one line, without the key, and without a part of it at the cut."""
    if key:
        for one in (key, json.dumps(key, ensure_ascii=False)[1:-1]):
            text = text.replace(one, "…")
    text = "".join(one if one.isprintable() else " " for one in text[:2000])
    return " ".join(text.split())[:_SHOWN]


def _count(usage: Mapping[str, Any], name: str) -> int | None:
    found = usage.get(name)
    fine = isinstance(found, int) and not isinstance(found, bool) and 0 <= found <= _MOST_TOKENS
    return found if fine else None
