"""Rows as numbers, by the server of a judge that embeds: ``/v1/embeddings``."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from models.files.arrays import write_array
from workers.judges.client import EMBEDDED, Judge
from workers.judges.errors import JudgeDown
from workers.judges.prompts import LONGEST

Block = NDArray[np.float32]
EMBEDDED_AT_ONCE: Final = 64
"""Texts that a request embeds."""


async def embed_block(
    judge: Judge, texts: Sequence[str], keep: Callable[[Block], None] = lambda _: None
) -> Block:
    """Embed ``EMBEDDED_AT_ONCE`` texts or fewer with ``embedding_model``, at the price of prompts.

    Args:
        judge: Whose server.
        texts: N of them; of longer ones than judges read the beginning.
        keep: Told the rows as soon as they come, before anybody can be stopped.

    Returns:
        (N, D), each of length 1.

    Raises:
        JudgeDown: The server cannot be asked, or what it answers are no embeddings.
        Unanswered: It did not answer for them.
        OverBudget: What may be spent is spent.
    """
    model = judge.settings.embedding_model
    if model is None:
        raise JudgeDown(
            "no_embeddings", "This judge has no model that embeds; name one in its settings."
        )
    part = [text[:LONGEST] or " " for text in texts]

    def use(body: Any) -> Block:
        rows = _rows(body, len(part))
        keep(rows)
        return rows

    return await judge.call(EMBEDDED, {"model": model, "input": part}, part, use)


async def write_block(judge: Judge, texts: Sequence[str], out: Path) -> None:
    """Embed texts into a .npy file, as ``embed_block`` does."""
    await embed_block(judge, texts, lambda rows: write_array(out, rows))


def joined(blocks: Sequence[Block]) -> Block:
    """One array of all blocks, (n, D) each.

    Raises:
        JudgeDown: They are of several lengths D.
    """
    if len({block.shape[1] for block in blocks}) > 1:
        raise _strange("they are not all of the same length")
    return np.concatenate(blocks) if blocks else np.empty((0, 1), np.float32)


def _rows(body: Any, n: int) -> Block:
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
