"""Rows as numbers, by the server of a judge that embeds: ``/v1/embeddings``."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from workers.judges.client import Judge
from workers.judges.errors import JudgeDown
from workers.judges.prompts import LONGEST

EMBEDDED_AT_ONCE: Final = 64
"""Texts that a request embeds."""


async def embed(
    judge: Judge,
    texts: Sequence[str],
    on_done: Callable[[int], None] = lambda _: None,
) -> NDArray[np.float32]:
    """Embed texts with ``embedding_model``, at the price of prompts; nothing is kept but what is
    returned.

    Args:
        judge: Whose server.
        texts: N of them; of longer ones than judges read the beginning.
        on_done: Told how many are done.

    Returns:
        (N, D), each of length 1.

    Raises:
        JudgeDown: The server cannot be asked, or what it answers are no embeddings.
        Unanswered: It did not answer for some of them.
        OverBudget: What may be spent is spent.
    """
    if judge.settings.embedding_model is None:
        raise JudgeDown(
            "no_embeddings", "This judge has no model that embeds; name one in its settings."
        )
    blocks = list(_blocks(len(texts)))
    found: list[NDArray[np.float32] | None] = [None] * len(blocks)
    done = 0
    left = iter(enumerate(blocks))

    async def work() -> None:
        nonlocal done
        for place, block in left:
            part = [text[:LONGEST] or " " for text in texts[block]]
            body = {"model": judge.settings.embedding_model, "input": part}
            found[place] = _rows(await judge.call("embeddings", body, part), len(part))
            done += len(part)
            on_done(done)

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(judge.settings.concurrency):
                group.create_task(work())
    except* Exception as errors:
        raise errors.exceptions[0] from None
    rows = [block for block in found if block is not None]
    if len({block.shape[1] for block in rows}) > 1:
        raise _strange("they are not all of the same length")
    return np.concatenate(rows) if rows else np.empty((0, 1), np.float32)


def _blocks(n: int) -> Iterator[slice]:
    return (slice(start, start + EMBEDDED_AT_ONCE) for start in range(0, n, EMBEDDED_AT_ONCE))


def _rows(body: Any, n: int) -> NDArray[np.float32]:
    try:
        data = sorted(body["data"], key=lambda one: int(one["index"]))
        rows = np.array([one["embedding"] for one in data], np.float32)
    except (TypeError, KeyError, ValueError, OverflowError) as error:
        raise _strange("they are not in the form of OpenAI's") from error
    if rows.ndim != 2 or len(rows) != n or not rows.size or not np.isfinite(rows).all():
        raise _strange(f"there are not {n} rows of finite numbers")
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.maximum(lengths, 1e-12), np.float32)


def _strange(why: str) -> JudgeDown:
    return JudgeDown(
        "strange_embeddings",
        f"What the server answers are no embeddings: {why}. Name a model that embeds.",
    )
