"""A judge as it is asked: where, how often, for what price, and until when."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Self

from core import tables
from core.security.judge_keys import sealed_for
from core.security.sealing import Sealer, Unreadable
from core.settings import Settings
from workers.judges import faults
from workers.judges.budget import Price
from workers.judges.errors import JudgeDown
from workers.judges.prompts import Message


@dataclass(frozen=True)
class Patience:
    """When to stop.

    Attributes:
        full: Seconds that a server may have too much to do for a single answer.
        silent: Seconds that it may be gone or broken, beside the time that a request takes.
        retries: How often a question is asked again, if others go well.
        alone: Questions after each other that may fail before it is the server that does.
        refused: The same of questions that it does not take.
    """

    full: float = 600.0
    silent: float = 60.0
    retries: int = 4
    alone: int = 3
    refused: int = 20


DEFAULT_PATIENCE: Final = Patience()


@dataclass(frozen=True)
class JudgeSettings:
    """A judge as it is asked.

    Attributes:
        judge_id: Its row.
        base_url: Such as ``https://api.example.org/v1``.
        model: Its name there.
        embedding_model: Name of the model that embeds, if there is one.
        key: For the header ``Authorization``, if it wants one.
        price: Of its tokens.
        concurrency: Requests on their way at the same time, at most.
        timeout: Seconds that one may take.
        requests_per_minute: At most, or any number.
        max_tokens: Of an answer.
    """

    judge_id: int
    base_url: str
    model: str
    embedding_model: str | None = None
    key: str | None = field(default=None, repr=False)
    price: Price = field(default_factory=Price)
    concurrency: int = 8
    timeout: float = 60.0
    requests_per_minute: int | None = None
    max_tokens: int = 256

    @classmethod
    def of(cls, row: tables.Judge, settings: Settings) -> Self:
        """What a row says, with its key opened.

        Raises:
            JudgeDown: The key cannot be opened here.
        """
        key = None
        if row.key_sealed is not None:
            try:
                key = Sealer.of(settings).open(row.key_sealed, sealed_for(row.base_url))
            except Unreadable as error:
                detail = faults.unreadable(row.name, error.detail)
                raise JudgeDown("key_unreadable", detail) from error
        return cls(
            judge_id=row.id,
            base_url=row.base_url,
            model=row.model,
            embedding_model=row.embedding_model,
            key=key,
            price=Price(row.price_in or 0.0, row.price_out or 0.0),
            concurrency=row.concurrency,
            timeout=row.timeout,
            requests_per_minute=row.requests_per_minute,
            max_tokens=row.max_tokens,
        )


def question_key(
    settings: JudgeSettings, params: Mapping[str, Any], messages: Sequence[Message]
) -> bytes:
    """SHA-256 of the address, the model, the parameters and the prompt: 32 bytes."""
    said = [settings.base_url, settings.model, dict(params), list(messages)]
    text = json.dumps(said, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).digest()
