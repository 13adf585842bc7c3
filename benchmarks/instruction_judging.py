"""Rows and their hallucinated twins before a stand-in judge that errs and favours what is first."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import numpy as np

from benchmarks.instruction_rows import Rows
from benchmarks.runs import Run
from core.settings.addresses import Allowed
from karat.demo.stand_in_judge import MODEL, Behaviour, known, row_key, stand_in
from models.catalog.params.instructions import FpInstructionParams
from models.numerics.intervals import wilson
from models.protocols import Float32Array
from models.tasks.instructions import methods
from models.tasks.instructions.clusters import constrained_clusters
from models.tasks.instructions.fp_instruction import choose
from models.tasks.instructions.view import InstructionView
from models.tasks.instructions.view import Ranked as Said
from workers.judges.client import Judge
from workers.judges.judging import Ranked, rank, run
from workers.judges.prompts import shown_text
from workers.judges.settings import JudgeSettings

PERMUTATIONS = (1, 3, 5)
_LARGEST = 10


def pairs(rows: Rows) -> Iterator[Run]:
    """A row and its twin at a time, asked about once: how often the clean one is kept.

    Of two rows there are two orders only, so that a third answer would repeat one of them.
    """
    items = [(rows.texts[twin.clean], twin.text) for twin in rows.twins]
    for error in (0.0, 0.1, 0.2, 0.3):
        yield _run(f"pairs, error {error:g}", rows, items, error, 0.0, 1)


def fives(rows: Rows, groups: int = 200) -> Iterator[Run]:
    """A clean row among the twins of four others: how often it is kept."""
    count = len(rows.twins)
    items = [
        (
            rows.texts[rows.twins[place].clean],
            *(rows.twins[(place + step) % count].text for step in range(1, 5)),
        )
        for place in range(min(groups, count))
    ]
    for error, bias in ((0.1, 0.0), (0.1, 0.6)):
        for permutations in PERMUTATIONS:
            case = f"one of five, error {error:g}, bias {bias:g}, m = {permutations}"
            yield _run(case, rows, items, error, bias, permutations)


def _run(
    case: str,
    rows: Rows,
    items: Sequence[Sequence[str]],
    error: float,
    bias: float,
    permutations: int,
) -> Run:
    """How often the first row of each group is kept, which is the clean one."""
    truths = {row_key(shown_text(rows.texts[twin.clean])): 1.0 for twin in rows.twins}
    truths |= {row_key(shown_text(twin.text)): 0.0 for twin in rows.twins}
    said = asked(items, truths, error, bias, permutations)
    size = len(items[0])
    clusters = np.repeat(np.arange(len(items)), size)
    view = InstructionView(size * len(items), 0, clusters=clusters, rankings=said)
    kept = choose(view, FpInstructionParams(permutations=permutations)).kept
    share = wilson(float((kept % size == 0).sum()), len(items))
    return {
        "case": case,
        "clusters": len(items),
        "clean kept, %": 100 * share.share,
        "from": 100 * share.low,
        "to": 100 * share.high,
    }


def in_clusters(rows: Rows, embeddings: Float32Array) -> Iterator[Run]:
    """Alpaca with all twins in clusters: how many hallucinated rows are kept."""
    n = len(embeddings)
    wrong = np.arange(n) >= len(rows.texts)
    texts = [*rows.texts, *(twin.text for twin in rows.twins)]
    clusters = constrained_clusters(embeddings, largest=_LARGEST, seed=0)
    together = [
        clusters[twin.clean] == clusters[len(rows.texts) + place]
        for place, twin in enumerate(rows.twins)
    ]
    # Of the other clusters any order keeps no twin.
    places = [np.flatnonzero(clusters == cluster) for cluster in np.unique(clusters[wrong])]
    several = [members for members in places if len(members) > 1]
    drawn = methods.k_means_random(clusters, 0)
    yield {
        "case": f"clusters of Alpaca and twins, {100 * np.mean(together):.1f} % of twins with "
        "their row; kept at random",
        "clusters": len(places),
        "twins kept": int(wrong[drawn].sum()),
        "of all twins, %": 100 * float(wrong[drawn].sum() / wrong.sum()),
    }
    items = [[texts[row] for row in members] for members in several]
    truths = {row_key(shown_text(text)): 1.0 for text in rows.texts}
    truths |= {row_key(shown_text(twin.text)): 0.0 for twin in rows.twins}
    for error, bias in ((0.1, 0.0), (0.1, 0.6)):
        for permutations in PERMUTATIONS:
            said = asked(items, truths, error, bias, permutations)
            kept = 0
            for members, ranked in zip(several, said.values(), strict=True):
                view = InstructionView(
                    len(members),
                    0,
                    clusters=np.zeros(len(members), dtype=np.int64),
                    rankings={0: ranked},
                )
                chosen = choose(view, FpInstructionParams(permutations=permutations))
                kept += int(wrong[members[chosen.kept]].sum())
            yield {
                "case": f"clusters, error {error:g}, bias {bias:g}, m = {permutations}",
                "clusters": len(several),
                "twins kept": kept,
                "of all twins, %": 100 * kept / int(wrong.sum()),
            }


def asked(
    items: Sequence[Sequence[str]],
    truths: Mapping[bytes, float],
    error: float,
    bias: float,
    permutations: int,
) -> dict[int, Said]:
    """What a stand-in says of clusters of rows, asked as the product asks judges."""
    found: dict[int, Said] = {}

    def keep(cluster: int, ranked: Ranked) -> None:
        found[cluster] = Said(ranked.orders)

    async def ask(base_url: str) -> None:
        settings = JudgeSettings(0, base_url, MODEL, concurrency=16)
        async with Judge.opened(settings, Allowed.parse("127.0.0.1")) as judge:
            tasks = (
                (place, partial(rank, items=rows, permutations=permutations, seed=0))
                for place, rows in enumerate(items)
            )
            await run(judge, tasks, keep)

    with stand_in(known(truths), Behaviour(error=error, bias=bias)) as (base_url, _):
        asyncio.run(ask(base_url))
    return dict(sorted(found.items()))
