"""Features of texts that are learned on the pool itself, without weights, download or GPU.

Words, pairs of words and pieces of words of three to five characters are counted by hash values
(K. Weinberger et al., "Feature Hashing for Large Scale Multitask Learning", ICML 2009), weighted by
how few texts have them, and projected on the directions in which texts differ most (S. Deerwester
et al., "Indexing by Latent Semantic Analysis", JASIS 1990; N. Halko, P. Martinsson, J. Tropp,
"Finding Structure with Randomness", SIAM Review 2011).
"""

import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
import torch
from scipy.sparse import csr_array, hstack, vstack
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.preprocessing import normalize
from sklearn.utils.extmath import randomized_svd
from torch import Tensor

from models.catalog.params.networks import HashedNgramsParams
from models.errors import ModelError
from models.files import tensorfile
from models.media.texts.store import TextStore
from models.numerics.similarity import unit_rows
from models.protocols import Float32Array, Indices, Progress

_BUCKETS: Final = 2**20
"""Hash values of each kind of n-gram."""

# As many texts as are fitted on, or fewer with so many characters.
_MOST_TEXTS: Final = 20_000
_MOST_CHARACTERS: Final = 10_000_000
_ITERATIONS: Final = 3
# In so many texts an n-gram has to be, to say what texts have in common.
_FEWEST: Final = 2

_COUNTERS: Final = tuple(
    HashingVectorizer(
        analyzer=analyzer,
        ngram_range=lengths,
        n_features=_BUCKETS,
        alternate_sign=False,
        norm=None,
        dtype=np.float32,
    )
    for analyzer, lengths in (("word", (1, 2)), ("char_wb", (3, 5)))
)


class HashedNgrams:
    """The n-grams that count, their weights, and the directions in which texts differ most."""

    def __init__(self, tensors: Mapping[str, Tensor], params: HashedNgramsParams) -> None:
        """Take fitted tensors.

        Args:
            tensors: `buckets` (F,) int64, ascending hash values, those of pieces of words after
                those of words; `weights` (F,) float32; `projection` (F, D) float16; `composed` is
                missing where an earlier version has counted letters as they were written.
            params: the parameters that the tensors were fitted with.
        """
        self.tensors, self.params = dict(tensors), params
        self.characters = params.characters
        self._buckets: Indices = tensors["buckets"].numpy()
        self._weights: Float32Array = tensors["weights"].numpy()
        self._projection: Float32Array = tensors["projection"].float().numpy()
        self.dimension = int(self._projection.shape[1])

    @classmethod
    def fit(
        cls,
        store: TextStore,
        params: HashedNgramsParams,
        *,
        seed: int,
        progress: Progress | None = None,
    ) -> Self:
        """Learn weights and directions on a sample of the pool.

        Args:
            store: the pool; at least one text.
            params: see the schema.
            seed: decides the sample, and where the search for directions begins.
            progress: counts texts; may raise `Cancelled`.

        Raises:
            ModelError: there are no texts.
        """
        if len(store) == 0:
            raise ModelError("There is no text to learn features from; import some first.")
        rows = np.random.default_rng(seed).permutation(len(store))[:_MOST_TEXTS]
        blocks, characters = [], 0
        for done, texts in store.take(rows).beginnings(params.characters):
            if progress is not None:
                progress(done, len(rows))
            blocks.append(_counted(_composed(texts)))
            characters += sum(map(len, texts))
            if characters > _MOST_CHARACTERS:
                break
        counts = vstack(blocks, format="csr")
        buckets, weights = _in_most_texts(counts, params.kept)
        weighted = _weighted(counts, buckets, weights)
        _, _, directions = randomized_svd(
            weighted,
            min(params.dimension, *weighted.shape),
            n_iter=_ITERATIONS,
            random_state=seed,
        )
        if progress is not None:
            progress(len(rows), len(rows))
        tensors = {
            "buckets": torch.from_numpy(buckets),
            "weights": torch.from_numpy(weights),
            "projection": torch.from_numpy(directions.T.copy()).half(),
            "composed": torch.tensor(True),
        }
        return cls(tensors, params)

    def extract(self, texts: Sequence[str]) -> Float32Array:
        """Map B texts to (B, D) float32 of unit length; one without any such n-gram to zero."""
        read = [text[: self.characters] for text in texts]
        counts = _counted(_composed(read) if "composed" in self.tensors else read)
        return unit_rows(_weighted(counts, self._buckets, self._weights) @ self._projection)

    def save(self, path: Path, metadata: Mapping[str, str]) -> None:
        """Write what was fitted to one safetensors file, atomically."""
        tensorfile.write(path, self.tensors, metadata)


def _composed(texts: Sequence[str]) -> list[str]:
    """Each letter in one way (NFC), of the several in which it may be written."""
    return [unicodedata.normalize("NFC", text) for text in texts]


def _counted(texts: Sequence[str]) -> Any:
    """How often each n-gram is in each of B texts: sparse (B, 2 x `_BUCKETS`) float32."""
    return hstack([csr_array(counter.transform(texts)) for counter in _COUNTERS], format="csr")


def _in_most_texts(counts: Any, kept: int) -> tuple[Indices, Float32Array]:
    """The n-grams that count, of N texts, and their weights, (F,) each.

    A weight is ln((1 + N) / (1 + n)) + 1 where n texts have the n-gram.
    """
    texts_with = np.bincount(counts.indices, minlength=counts.shape[1])
    fewest = min(_FEWEST, max(1, int(texts_with.max())))
    order = np.argsort(-texts_with, kind="stable")[:kept]
    # Of empty texts some n-gram that none has: their embeddings are zero.
    chosen = order[texts_with[order] >= fewest] if texts_with.any() else order[:1]
    buckets: Indices = np.sort(chosen)
    weights = np.log((1 + counts.shape[0]) / (1 + texts_with[buckets])) + 1
    return buckets, weights.astype(np.float32)


def _weighted(counts: Any, buckets: Indices, weights: Float32Array) -> Any:
    """TF-IDF, with 1 + ln of how often, as rows of unit length: sparse (B, F) float32."""
    found = counts[:, buckets]
    found.data = (1 + np.log(found.data)) * weights[found.indices]
    return normalize(found, copy=False)
