"""What rows of instruction data are about: a few large groups, and words that set them apart."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import MiniBatchKMeans

from models.protocols import Float32Array

MOST: Final = 12
"""Topics that are told at most."""
_FEWEST_ROWS: Final = 25
_LEARNED_ON: Final = 20_000
_BLOCK: Final = 65_536
_WORDS: Final = 3
_WORD: Final = re.compile(r"[^\W\d_]{3,}")


def topics_of(embeddings: Float32Array, seed: int) -> NDArray[np.int64]:
    """Put rows into a few large groups.

    Args:
        embeddings: (N, D) float32.
        seed: decides the groups.

    Returns:
        (N,) int64: the topic of each row, 0..K-1, the largest first, K at most `MOST`; one topic
        where there are too few rows to tell any apart.
    """
    n = len(embeddings)
    count = min(MOST, n // _FEWEST_ROWS)
    if count < 2:
        return np.zeros(n, dtype=np.int64)
    sample = np.sort(np.random.default_rng(seed).permutation(n)[:_LEARNED_ON])
    model = MiniBatchKMeans(count, n_init=3, random_state=seed).fit(embeddings[sample])
    found = np.concatenate(
        [model.predict(embeddings[start : start + _BLOCK]) for start in range(0, n, _BLOCK)]
    )
    sizes = np.bincount(found, minlength=count)
    place = np.empty(count, dtype=np.int64)
    place[np.argsort(-sizes, kind="stable")] = np.arange(count)
    topics: NDArray[np.int64] = place[found]
    return topics


def words_of(texts: Sequence[str], topics: NDArray[np.int64], count: int) -> list[list[str]]:
    """Name topics by the words that more of their texts have than of all others, rare ones first.

    Args:
        texts: n of them, a sample of all.
        topics: (n,) the topic of each.
        count: how many topics there are.

    Returns:
        Up to three words for each topic, the most telling first; none of a topic without texts.
    """
    having = [Counter[str]() for _ in range(count)]
    for text, topic in zip(texts, topics.tolist(), strict=True):
        having[topic].update({word.lower() for word in _WORD.findall(text)})
    every = sum(having, Counter[str]())
    sizes = np.bincount(topics, minlength=count)
    named = []
    for topic, found in enumerate(having):
        inside, outside = max(1, int(sizes[topic])), max(1, len(texts) - int(sizes[topic]))
        # How much more often a text has the word here than elsewhere; what many have says little.
        more = {
            word: times / inside - (every[word] - times) / outside for word, times in found.items()
        }
        lift = {
            word: share * abs(share) * np.log((1 + len(texts)) / (1 + every[word]))
            for word, share in more.items()
        }
        named.append(sorted(lift, key=lambda word: (-lift[word], word))[:_WORDS])
    return named
