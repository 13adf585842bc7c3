"""How fast texts are embedded, and how much their features tell with few labels.

``python -m benchmarks.text_features --texts mailbox --labels 20,50,100,400 --seeds 5``
``python -m benchmarks.text_features --texts docstrings``
``python -m benchmarks.text_features --texts reviews.jsonl --text text --label label``

``mailbox`` are the texts of the demo, composed of many pieces; ``docstrings`` are the first
paragraphs of what libraries that are installed here say of their functions, of five libraries to
tell apart without their names among others that are of none; else the rows of a JSONL file. Where
nothing else is said a fifth is held out.

For each seed so many labels are drawn at random, and the product's head is trained on the features
of either model; beside it scikit-learn's logistic regression on TF-IDF of words and pairs of words,
fitted on the same pool. Speed is that of ``embed_pool``, texts on disk to embeddings on disk,
fitting included where there is any, by the time that one thread computes.
"""

import argparse
import ast
import importlib.util
import json
import re
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from threadpoolctl import threadpool_limits

from karat.demo.demo_texts import mailbox
from models.features.embed import embed_pool
from models.media.texts.store import TextStore
from models.numerics.similarity import similarity_to
from models.protocols import Indices
from models.target.train import train_target

MODELS: Final = ("minilm", "hashed_ngrams")
PEER: Final = "TF-IDF + logistic regression"
LIBRARIES: Final = ("numpy", "scipy", "sklearn", "sqlalchemy", "torch")
OTHERS: Final = ("celery", "pydantic", "rich", "httpx", "alembic")
_NAMES: Final = r"\b(numpy|np|scipy|scikit-learn|sklearn|sqlalchemy|pytorch|torch)\b"
_OF_EACH: Final = 400
_OF_OTHERS: Final = 150
_SHORTEST: Final = 60
_HELD_OUT: Final = 0.2
_PEER_C: Final = 10.0
_PERCENT: Final = 100

Values = dict[str, dict[str, float]]


@dataclass(frozen=True)
class Texts:
    """A pool.

    Attributes:
        texts: N of them.
        kinds: (N,) int64, classes by their numbers, or -1 outside all.
        test: (T,) rows that are held out.
        classes: How many classes there are.
    """

    texts: list[str]
    kinds: NDArray[np.int64]
    test: Indices
    classes: int

    @property
    def pool(self) -> Indices:
        """Rows that labels are drawn from."""
        inside = np.flatnonzero(self.kinds >= 0)
        rows: Indices = np.setdiff1d(inside, self.test)
        return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--texts", default="mailbox", help="mailbox, docstrings or a JSONL file")
    parser.add_argument("--labels", default="20,50,100,400")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--text", default="text", help="its key of texts")
    parser.add_argument("--label", default="label", help="its key of classes")
    arguments = parser.parse_args()
    counts = [int(one) for one in arguments.labels.split(",")]
    torch.set_num_threads(1)
    results: dict[str, dict[str, list[float]]] = {}
    with threadpool_limits(1), tempfile.TemporaryDirectory() as folder:
        made: Made | None = None
        for seed in range(arguments.seeds):
            if arguments.texts == "mailbox":
                pool = generated()
            elif arguments.texts == "docstrings":
                pool = docstrings(seed)
            else:
                pool = read(Path(arguments.texts), arguments.text, arguments.label, seed)
            made = made or made_of(pool.texts, Path(folder))
            for name, values in measured(pool, made, counts, seed).items():
                for column, value in values.items():
                    results.setdefault(name, {}).setdefault(column, []).append(value)
    _print(results, pool, arguments.seeds)


def generated() -> Texts:
    """The demo's mailbox: tickets of four topics among other texts."""
    made = mailbox(0)
    number = {name: place for place, name in enumerate(made.classes)}
    texts = [content.decode() for _, content in made.examples]
    kinds = [-1 if (one := made.truth[name]) is None else number[one] for name, _ in made.examples]
    texts += [content.decode() for _, _, content in made.evaluation]
    kinds += [number[label] for label, _, _ in made.evaluation]
    test = np.arange(len(made.examples), len(texts))
    return Texts(texts, np.array(kinds), test, len(made.classes))


def docstrings(seed: int) -> Texts:
    """First paragraphs of installed libraries, without what tells their names."""
    rows = [
        (text, number if number < len(LIBRARIES) else -1)
        for number, name in enumerate((*LIBRARIES, *OTHERS))
        for text in _paragraphs(name, _OF_EACH if number < len(LIBRARIES) else _OF_OTHERS)
    ]
    kinds = np.array([kind for _, kind in rows])
    inside = np.random.default_rng(seed).permutation(np.flatnonzero(kinds >= 0))
    test = np.sort(inside[: round(_HELD_OUT * len(inside))])
    return Texts([text for text, _ in rows], kinds, test, len(LIBRARIES))


@cache
def _paragraphs(library: str, most: int) -> list[str]:
    spec = importlib.util.find_spec(library)
    assert spec is not None
    folder = Path(next(iter(spec.submodule_search_locations or [])))
    found: dict[str, None] = {}
    for path in sorted(folder.rglob("*.py")):
        if "test" in path.as_posix():
            continue
        for node in ast.walk(ast.parse(path.read_bytes())):
            if not isinstance(node, ast.FunctionDef | ast.ClassDef):
                continue
            first = " ".join((ast.get_docstring(node) or "").split("\n\n")[0].split())
            text = re.sub(_NAMES, "it", first, flags=re.IGNORECASE)
            if len(text) >= _SHORTEST:
                found[text] = None
    mixed = np.random.default_rng(0).permutation(len(found))[:most]
    texts = list(found)
    return [texts[row] for row in mixed]


def read(path: Path, text: str, label: str, seed: int) -> Texts:
    """Texts of a file, every fifth of them held out at random."""
    with path.open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines if line.strip()]
    names = sorted({str(row[label]) for row in rows})
    kinds = np.array([names.index(str(row[label])) for row in rows])
    mixed = np.random.default_rng(seed).permutation(len(rows))
    test = np.sort(mixed[: round(_HELD_OUT * len(rows))])
    return Texts([str(row[text]) for row in rows], kinds, test, len(names))


@dataclass(frozen=True)
class Made:
    """Features of a pool: (N, D) by model, those of the peer, and texts a second of each."""

    store: TextStore
    rows: dict[str, NDArray[np.float32]]
    counted: Any
    speeds: dict[str, float]


def made_of(texts: list[str], folder: Path) -> Made:
    """Embed texts by all models."""
    with TextStore.writer(folder) as writer:
        writer.write(0, texts)
    store = TextStore.open(folder, len(texts))
    rows, speeds = {}, {}
    for name in MODELS:
        # Loading the weights is no part of embedding.
        embed_pool(store.take(np.arange(8)), name, {}, out=folder / f"few-{name}.npy", seed=0)
        out = folder / f"{name}.npy"
        began = time.process_time()
        embed_pool(store, name, {}, out=out, seed=0)
        speeds[name] = len(texts) / (time.process_time() - began)
        rows[name] = np.load(out)
    began = time.process_time()
    counted = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True).fit_transform(texts)
    speeds[PEER] = len(texts) / (time.process_time() - began)
    return Made(store, rows, counted, speeds)


def measured(pool: Texts, made: Made, counts: Sequence[int], seed: int) -> Values:
    """Shares of right answers, by what made the features."""
    found: Values = {name: {"texts/s": speed} for name, speed in made.speeds.items()}
    drawn = np.random.default_rng(seed).permutation(pool.pool)
    for count in counts:
        labeled = drawn[:count]
        column = f"{len(labeled)} labels"
        for name, rows in made.rows.items():
            found[name][column] = _head(pool, made.store, name, rows, labeled)
            if (pool.kinds < 0).any():
                found[name][f"OOD, {len(labeled)}"] = _told_apart(pool, rows, labeled)
        peer = LogisticRegression(C=_PEER_C, max_iter=1000)
        peer.fit(made.counted[labeled], pool.kinds[labeled])
        right = peer.predict(made.counted[pool.test]) == pool.kinds[pool.test]
        found[PEER][column] = _PERCENT * float(right.mean())
    return found


def _head(
    pool: Texts, store: TextStore, name: str, rows: NDArray[np.float32], labeled: Indices
) -> float:
    model = train_target(
        store,
        labeled,
        pool.kinds[labeled],
        classes=pool.classes,
        name=name,
        params={},
        seed=0,
        embeddings=rows,
    )
    said = model.infer(pool.test).logits.argmax(axis=1)
    return _PERCENT * float((said == pool.kinds[pool.test]).mean())


def _told_apart(pool: Texts, rows: NDArray[np.float32], labeled: Indices) -> float:
    """AUROC of how near the unlabeled texts are to a labeled one, as purity ``knn`` has it."""
    rest = np.setdiff1d(np.setdiff1d(np.arange(len(rows)), labeled), pool.test)
    near = similarity_to(rows[rest], rows[labeled], 1)
    return _PERCENT * float(roc_auc_score(pool.kinds[rest] >= 0, near))


def _print(results: dict[str, dict[str, list[float]]], pool: Texts, seeds: int) -> None:
    columns = list(dict.fromkeys(column for values in results.values() for column in values))
    length = int(np.median([len(text) for text in pool.texts]))
    table = Table(
        title=f"{len(pool.texts):,} texts of {length} characters (median), {pool.classes} classes, "
        f"{seeds} seeds"
    )
    for title in ("features", *columns):
        table.add_column(title, justify="right")
    for name, values in results.items():
        cells = []
        for column in columns:
            got = values.get(column)
            if got is None:
                cells.append("")
            elif column == "texts/s":
                cells.append(f"{np.median(got):,.0f}")
            else:
                spread = np.std(got, ddof=1) if len(got) > 1 else 0.0
                cells.append(f"{np.mean(got):.1f} ± {spread:.1f}")
        table.add_row(name, *cells)
    Console(width=160).print(table)


if __name__ == "__main__":
    main()
