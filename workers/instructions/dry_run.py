"""What choosing instructions would take: time, requests, tokens and money."""

import asyncio
from collections.abc import Callable
from functools import cached_property
from typing import Any, Final

import numpy as np

from models.catalog.params.select_instructions import SelectInstructionsParams
from models.dry_run import affine_seconds, extended_seconds
from models.protocols import Indices
from models.tasks.instructions.clusters import constrained_clusters
from workers.dry_run import Cost, DryRun
from workers.instructions.features import Embedder, sample_of
from workers.instructions.gather import Rows, gather, texts_of
from workers.instructions.judging import Judging, Question
from workers.instructions.prices import question_tokens, times_asked
from workers.jobs.context import JobContext
from workers.judges.budget import estimated_tokens
from workers.judges.embeddings import EMBEDDED_AT_ONCE
from workers.judges.prompts import LONGEST

_EMBEDDED: Final = 256
_CLUSTERED: Final = 4096
_DIMENSION: Final = 384
_PROMPTS: Final = 20
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
    if params.embedded_by_judge:
        notes += ("What the judge's server embeds is in this price, as if it were prompts.",)
    return DryRun(len(rows), phases, notes, timing.facts)


class _Timing:
    """The rows of one project."""

    def __init__(self, context: JobContext, rows: Rows, params: SelectInstructionsParams) -> None:
        self.context, self.rows, self.params = context, rows, params
        asks = params.judged or params.embedded_by_judge
        self.judging = Judging.open(context, params) if asks else None

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
        each = asyncio.run(self.judging.try_one(question))
        requests = self._requests
        seconds = requests * each / settings.concurrency
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
        if self.params.embedded_by_judge:
            tokens_in += self._embedded_tokens
            requests += -(-len(self.rows) // EMBEDDED_AT_ONCE)
        price = self.judging.settings.price.of(tokens_in, tokens_out)
        return {
            "requests": requests,
            "tokens_in": tokens_in,
            "tokens_out": tokens_out,
            "price": round(price, 4) if self.judging.priced else None,
        }

    @property
    def _size(self) -> int:
        """Rows of a cluster, as far as that is known before there are any."""
        if self.params.method == "sample_scores":
            return 1
        clusters = self.params.count() or -(-len(self.rows) // self.params.largest)
        return max(1, round(len(self.rows) / clusters))

    @property
    def _requests(self) -> int:
        count = len(self.rows)
        if self.params.method == "sample_scores":
            return count
        clusters = min(count, self.params.count() or -(-count // self.params.largest))
        return clusters * times_asked(self.params, self._size)

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
        each = [question_tokens(self.params, items) for items in self._texts]
        asked, answered = np.mean(each, axis=0).tolist()
        return round(self._requests * asked), round(self._requests * answered)

    @property
    def _embedded_tokens(self) -> int:
        """Of all rows, by those of a sample."""
        ids = self.rows.examples[sample_of(self.rows, _EMBEDDED)].tolist()
        texts = texts_of(self.context.sessions, ids).values()
        each = [estimated_tokens(text[:LONGEST]) for text in texts]
        return round(len(self.rows) * float(np.mean(each)))
