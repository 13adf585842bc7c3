"""Models behind an address that rank instructions.

Made from the API's description: ``make openapi`` writes it anew.
"""

from typing import TypedDict


class Trial(TypedDict):
    """What a judge answered when it was tried: it waits for a worker until `tried_at` is set.

    `ok` says that it put made-up rows in an order, in the form that it has to have. `text` is what
    it said, `problem` what is wrong.
    """

    asked_at: str
    ok: bool
    problem: str | None
    seconds: float | None
    text: str | None
    tried_at: str | None


class Judge(TypedDict):
    """A judge. Its key is never shown; `has_key` says whether there is one."""

    base_url: str
    concurrency: int
    created_at: str
    embedding_model: str | None
    has_key: bool
    id: int
    max_tokens: int
    model: str
    name: str
    price_in: float | None
    price_out: float | None
    requests_per_minute: int | None
    timeout: float
    trial: Trial | None
