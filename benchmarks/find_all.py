"""How many of the wanted images each strategy finds in a pool, verdict by verdict.

``python -m benchmarks.find_all --photos FILE --json FILE``

Rounds as the service does them: the first at random, then the model ``auto``, purity and
informativeness of new projects, and one strategy. Wanted are four groups of animals among 1,000
photographs, or one group alone.
"""

import argparse
import io
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow.parquet as pq
from PIL import Image
from rich.console import Console
from rich.table import Table

from benchmarks.open_set.protocol import EMBEDDING_SEED
from benchmarks.photo_groups import GROUPS
from benchmarks.runs import Runs, spread
from models.features.embed import embed_pool
from models.media.images.store import PixelStore, fit_image
from models.protocols import OOD, Indices, OpenSetLabels
from models.ranking.candidates import NO_ANSWERS, LastAnswers
from models.ranking.mqnet import MQNet, Normalisation
from models.rounds.meta_training import meta_train
from models.rounds.predictions import inside_of
from models.rounds.query import QuerySettings, Scored, score_pool, select
from models.target.train import train_target

MODEL: Final = "auto"
STRATEGIES: Final = ("expected_value", "mqnet", "p_plus_i", "p_times_i", "most_likely", "random")
WANTED: Final = {
    "four groups": GROUPS,
    "dogs": ("dog",),
    "birds": ("bird",),
    "fish and cats": ("fish", "cat"),
}
BUDGET: Final = 50
ROUNDS: Final = 8
_SIDE: Final = 128


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--photos", type=Path, required=True, help="Parquet: image, group")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--cache", type=Path, default=Path("results/find_all"))
    parser.add_argument("--json", type=Path, default=Path("results/find_all.json"))
    arguments = parser.parse_args()
    runs = Runs(
        arguments.json,
        {"model": MODEL, "budget": BUDGET, "rounds": ROUNDS},
        ("wanted", "strategy", "seed"),
    )
    table = pq.read_table(arguments.photos, columns=["image", "group"]).to_pydict()
    store, embeddings = _pool(table["image"], arguments.cache)
    for wanted, groups in WANTED.items():
        labels = np.array(
            [groups.index(one) if one in groups else OOD for one in table["group"]], dtype=np.int64
        )
        for strategy in STRATEGIES:
            for seed in range(arguments.seeds):
                run = {"wanted": wanted, "strategy": strategy, "seed": seed}
                if run not in runs:
                    found = _found(store, embeddings, labels, len(groups), strategy, seed)
                    runs.add(run | {"total": int((labels >= 0).sum()), "found": found})
    console = Console(width=140)
    for wanted in WANTED:
        console.print(_table(runs, wanted))


def _pool(encoded: list[bytes], cache: Path) -> tuple[PixelStore, Any]:
    pixels, rows = cache / "photos.bin", cache / "photos.npy"
    if not rows.exists():
        cache.mkdir(parents=True, exist_ok=True)
        shown = (Image.open(io.BytesIO(one)).convert("RGB") for one in encoded)
        with PixelStore.writer(pixels, _SIDE) as writer:
            writer.write(0, np.stack([fit_image(one, _SIDE) for one in shown]))
    store = PixelStore.open(pixels, _SIDE, len(encoded))
    embed_pool(store, MODEL, {}, out=rows, seed=EMBEDDING_SEED)
    return store, np.load(rows)


def _found(
    store: PixelStore, embeddings: Any, truth: Indices, classes: int, strategy: str, seed: int
) -> list[int]:
    """Wanted images found after each round."""
    rng = np.random.default_rng(seed)
    known = np.zeros(len(truth), dtype=bool)
    known[rng.permutation(len(truth))[:BUDGET]] = True
    said = OpenSetLabels.of(truth, truth == OOD)
    found = [int((truth[known] >= 0).sum())]
    settings = QuerySettings(strategy=strategy)
    before: Scored | None = None
    mqnet: MQNet | None = None
    last, had_ood = NO_ANSWERS, True
    for number in range(1, ROUNDS):
        labeled = np.flatnonzero(known)
        inside = labeled[truth[labeled] >= 0]
        unlabeled = np.flatnonzero(~known)
        if len(inside) == 0:
            asked = rng.permutation(unlabeled)[:BUDGET]
        else:
            model = train_target(
                store,
                inside,
                truth[inside],
                classes=classes,
                name=MODEL,
                params={},
                seed=seed * 100 + number,
                ood_indices=labeled[truth[labeled] == OOD],
                embeddings=embeddings,
            )
            scored = score_pool(
                model, unlabeled, labeled, said[labeled], settings, seed=seed * 100 + number
            )
            ranking = select(
                scored, unlabeled, BUDGET, settings, mqnet=mqnet, had_ood=had_ood, last=last
            )
            probability = inside_of(scored.scores, last)
            before = replace(scored, scores=replace(scored.scores, inside=probability))
            asked = ranking.order
        known[asked] = True
        found.append(int((truth[known] >= 0).sum()))
        if before is not None:
            order = np.sort(asked)
            scores = before.scores
            mqnet, had_ood, _ = meta_train(
                scores, order, said[order], settings, seed=seed, previous=mqnet
            )
            last = LastAnswers(
                said.is_ood[order],
                scores.take(np.searchsorted(scores.indices, order)),
                Normalisation.fit(scores.purity),
            )
    return found


def _table(runs: Runs, wanted: str) -> Table:
    """Found after so many verdicts, by strategy."""
    mine = [run for run in runs.all if run["wanted"] == wanted]
    shown = Table(title=f"{wanted}: found of {mine[0]['total']} after so many verdicts")
    places = (1, 3, 5, ROUNDS - 1)
    for title in ("strategy", *(str((place + 1) * BUDGET) for place in places)):
        shown.add_column(title, justify="right")
    for strategy in STRATEGIES:
        found = [run["found"] for run in mine if run["strategy"] == strategy]
        shown.add_row(strategy, *(spread([one[place] for one in found]) for place in places))
    return shown


if __name__ == "__main__":
    main()
