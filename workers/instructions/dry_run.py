"""What choosing instructions would take: time, requests, tokens and money."""

import asyncio
import time
from collections.abc import Callable
from functools import cached_property
from math import factorial
from typing import Any, Final

import numpy as np

from models.dry_run import affine_seconds, extended_seconds
from models.instructions.clusters import constrained_clusters
from models.params.select_instructions import SelectInstructionsParams
from models.protocols import Indices
from workers.context import JobContext
from workers.dry_run import Cost, DryRun
from workers.instructions.features import Embedder, sample_of
from workers.instructions.gather import Rows, gather, texts_of
from workers.instructions.judging import Judging, Question
from workers.judges.budget import estimated_tokens
from workers.judges.embeddings import EMBEDDED_AT_ONCE
from workers.judges.prompts import (
    LONGEST,
    Message,
    hallucination_prompt,
    ranking_prompt,
    score_prompt,
)

_EMBEDDED: Final = 256
_CLUSTERED: Final = 4096
_DIMENSION: Final = 384
_PROMPTS: Final = 20
_OF_A_MESSAGE: Final = 8
_OF_A_PLACE: Final = 5
"""Tokens of ``[1]>``, rather too many."""
_FLOAT: Final = 4


def prepare(context: JobContext) -> DryRun:
    """Gather as the job does, and say what to measure."""
    params = SelectInstructionsParams.of(context)
    rows = gather(context, params)
    timing = _Timing(context, rows, params)
    phases: dict[str, Callable[[], Cost]] = {}
    if params.embedded:
        phases["embed"] = timing.embed
    if params.clustered:
        phases["cluster"] = timing.cluster
    if params.judged:
        phases["ask"] = timing.judge
    phases["choose"] = timing.choose
    notes: tuple[str, ...] = ()
    if params.judged:
        notes = (
            "The judge was asked one question, whose answer is kept. How many tokens it counts is "
            "known only when it has answered; this estimate is rather too high.",
        )
    if params.embedded and params.features == "judge":
        notes += ("What the judge's server embeds is in this price, as if it were prompts.",)
    return DryRun(len(rows), phases, notes, timing.facts)


class _Timing:
    """The rows of one project."""

    def __init__(self, context: JobContext, rows: Rows, params: SelectInstructionsParams) -> None:
        self.context, self.rows, self.params = context, rows, params
        embeds = params.embedded and params.features == "judge"
        self.judging = Judging.open(context, params) if params.judged or embeds else None
        self._embeds = embeds

    def embed(self) -> Cost:
        """Time the features of a sample."""
        sample = sample_of(self.rows, _EMBEDDED)
        embedder = Embedder(self.context, self.params, self.rows)

        def run(size: int) -> None:
            self.context.check()
            out = self.context.work / "dry_run" / f"{size}.npy"
            embedder.write(sample[:size], out, lambda *_: self.context.check())

        seconds = affine_seconds(run, len(sample), len(self.rows)) if len(sample) > 1 else 1.0
        return Cost(seconds, _FLOAT * _DIMENSION * len(self.rows))

    def cluster(self) -> Cost:
        """Time the clusters of made-up points, which take as long as the rows' own."""
        count = len(self.rows)
        shape = (min(count, _CLUSTERED), _DIMENSION)
        points = np.random.default_rng(0).standard_normal(shape, dtype=np.float32)
        wanted = self.params.count()

        def run(size: int) -> None:
            self.context.check()
            share = None if wanted is None else max(1, round(wanted * size / count))
            if share is not None:
                share = max(share, -(-size // self.params.largest))
            constrained_clusters(points[:size], largest=self.params.largest, seed=0, clusters=share)

        seconds = extended_seconds(run, len(points), count, highest_power=1.5)
        return Cost(seconds, 2 * _FLOAT * _DIMENSION * count)

    def judge(self) -> Cost:
        """Ask one question, and say how long all of them take."""
        assert self.judging is not None
        settings = self.judging.settings
        question = Question(0, self._texts[0])
        asyncio.run(self._ask(question))
        requests = self._requests
        seconds = requests * self._seconds / settings.concurrency
        if settings.requests_per_minute is not None:
            seconds = max(seconds, 60 * requests / settings.requests_per_minute)
        return Cost(seconds)

    def choose(self) -> Cost:
        """What is left is nothing beside it."""
        return Cost(len(self.rows) / 5_000)

    def facts(self) -> dict[str, Any]:
        """How many requests and tokens, and what they cost."""
        if self.judging is None:
            return {}
        tokens_in, tokens_out = self._tokens if self.params.judged else (0, 0)
        requests = self._requests if self.params.judged else 0
        if self._embeds:
            tokens_in += self._embedded_tokens
            requests += -(-len(self.rows) // EMBEDDED_AT_ONCE)
        price = self.judging.settings.price.of(tokens_in, tokens_out)
        return {
            "requests": requests,
            "tokens_in": tokens_in,
            "tokens_out": tokens_out,
            "price": round(price, 4) if self.judging.priced else None,
        }

    async def _ask(self, question: Question) -> None:
        assert self.judging is not None
        async with self.judging.opened() as judge:
            started = time.perf_counter()
            before = judge.tally.answered
            await self.judging.answer(judge, question)
            asked = max(1, judge.tally.answered - before)
        # Answers that are kept take no time, and so do those of the job itself then.
        self._seconds = (time.perf_counter() - started) / asked

    @property
    def _size(self) -> int:
        """Rows of a cluster, as far as that is known before there are any."""
        if self.params.method == "sample_scores":
            return 1
        clusters = self.params.count() or -(-len(self.rows) // self.params.largest)
        return max(1, round(len(self.rows) / clusters))

    @property
    def _requests(self) -> int:
        if self.params.method == "sample_scores":
            return len(self.rows)
        count = len(self.rows)
        clusters = min(count, self.params.count() or -(-count // self.params.largest))
        # Of few rows there are few orders, and each is asked for once.
        orders = min(self.params.permutations, factorial(self._size))
        return clusters * orders

    @cached_property
    def _texts(self) -> list[list[str]]:
        """Groups of rows that were drawn."""
        size = self._size
        sample: Indices = sample_of(self.rows, size * _PROMPTS)
        mixed = np.random.default_rng(0).permutation(sample)
        found = texts_of(self.context.sessions, self.rows.examples[mixed].tolist())
        texts = [found[one] for one in self.rows.examples[mixed].tolist()]
        return [texts[start : start + size] for start in range(0, len(texts), size)]

    @property
    def _tokens(self) -> tuple[int, int]:
        """Of all questions and answers together."""
        prompts = [self._prompt(items) for items in self._texts]
        each = [
            sum(estimated_tokens(one["content"]) + _OF_A_MESSAGE for one in prompt)
            for prompt in prompts
        ]
        out = _OF_A_PLACE * self._size if self._size > 1 else _OF_A_PLACE
        return round(self._requests * float(np.mean(each))), self._requests * out

    @property
    def _embedded_tokens(self) -> int:
        """Of all rows, by those of a sample."""
        ids = self.rows.examples[sample_of(self.rows, _EMBEDDED)].tolist()
        texts = texts_of(self.context.sessions, ids).values()
        each = [estimated_tokens(text[:LONGEST]) for text in texts]
        return round(len(self.rows) * float(np.mean(each)))

    def _prompt(self, items: list[str]) -> list[Message]:
        if self.params.method == "sample_scores":
            return score_prompt(items[0])
        if len(items) == 1:
            return hallucination_prompt(items[0])
        return ranking_prompt(items, range(len(items)))
