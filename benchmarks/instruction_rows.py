"""Rows of instruction data that the benchmark reads, and their embeddings, which it keeps.

The folder of the data holds ``alpaca_52k.jsonl.gz`` and ``halueval_general_v1_5000.jsonl.gz``, one
JSON object a line. ``python -m benchmarks.instruction_rows --data FOLDER`` embeds both, and goes on
where it was stopped: MiniLM reads some dozens of rows a second on one core.
"""

import argparse
import gzip
import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch

from models.catalog.params.networks import HashedNgramsParams, MiniLMParams
from models.media.texts.hashed_ngrams import HashedNgrams
from models.media.texts.minilm import MiniLMFeatures
from models.media.texts.store import TextStore
from models.protocols import Float32Array

CACHE: Final = Path("results/instructions")
_PART: Final = 1_000


@dataclass(frozen=True)
class Twin:
    """A row that people said holds something made up, and the row with the same question.

    Attributes:
        clean: place of the row of Alpaca.
        text: the other, as it is embedded.
    """

    clean: int
    text: str


@dataclass(frozen=True)
class Rows:
    """Alpaca and its twins.

    Attributes:
        texts: as they are embedded: instruction, input and response, a blank line between.
        responses: alone.
        twins: by place of the clean one.
    """

    texts: list[str]
    responses: list[str]
    twins: list[Twin]


@cache
def read(data: Path) -> Rows:
    """Read both files, with the twins whose answer is said to be hallucinated."""
    rows = _lines(data / "alpaca_52k.jsonl.gz")
    said = {
        place: line["chatgpt_response"]
        for line in _lines(data / "halueval_general_v1_5000.jsonl.gz")
        if line["hallucination"] == "yes"
        for place in line["alpaca_ids"]
    }
    twins = [Twin(place, rendered(rows[place], said[place])) for place in sorted(said)]
    texts = [rendered(row, row["output"]) for row in rows]
    return Rows(texts, [row["output"] for row in rows], twins)


def rendered(row: dict[str, Any], response: str) -> str:
    """One text of a row, as the product embeds it."""
    return "\n\n".join(part for part in (row["instruction"], row["input"], response) if part)


def _lines(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def embedded(
    name: str, texts: Sequence[str], kept: Path, pool: Sequence[str] | None = None
) -> Float32Array:
    """(N, D) unit rows of texts, by parts of a thousand that are kept under a folder.

    Features that are learned are learned on the pool; None: on the texts.
    """
    kept.mkdir(parents=True, exist_ok=True)
    starts = range(0, len(texts), _PART)
    missing = [start for start in starts if not _part(kept, start).exists()]
    extractor: MiniLMFeatures | HashedNgrams | None = None
    for start in missing:
        extractor = extractor or _extractor(name, pool or texts)
        found = extractor.extract(texts[start : start + _PART])
        partial = _part(kept, start).with_suffix(".tmp.npy")
        np.save(partial, found)
        partial.replace(_part(kept, start))
        print(f"{name}: {start + len(found):,} of {len(texts):,}", flush=True)
    return np.concatenate([np.load(_part(kept, start)) for start in starts])


def _part(kept: Path, start: int) -> Path:
    return kept / f"{start:07}.npy"


def _extractor(name: str, texts: Sequence[str]) -> MiniLMFeatures | HashedNgrams:
    if name == "minilm":
        return MiniLMFeatures({}, MiniLMParams())
    with tempfile.TemporaryDirectory() as folder:
        with TextStore.writer(Path(folder)) as writer:
            writer.write(0, list(texts))
        store = TextStore.open(Path(folder), len(texts))
        return HashedNgrams.fit(store, HashedNgramsParams(), seed=0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--cache", type=Path, default=CACHE)
    parser.add_argument("--features", default="minilm,hashed_ngrams")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    rows = read(arguments.data)
    for name in arguments.features.split(","):
        twins = [twin.text for twin in rows.twins]
        embedded(name, twins, arguments.cache / name / "twins", rows.texts)
        embedded(name, rows.texts, arguments.cache / name / "alpaca")


if __name__ == "__main__":
    main()
