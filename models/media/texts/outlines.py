"""What says that two texts are the same but for a word, a blank or a letter."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_extraction.text import HashingVectorizer

from models.media.base import Store
from models.media.texts.store import TextStore
from models.protocols import Progress

_WIDTH: Final = 1024
# Pieces of words of five characters: enough to tell texts of the same language apart.
_COUNTER: Final = HashingVectorizer(
    analyzer="char_wb", ngram_range=(5, 5), n_features=_WIDTH, norm="l2", dtype=np.float32
)


def text_outlines(store: Store, progress: Progress | None = None) -> NDArray[np.float16]:
    """Outline the N texts of a store.

    Returns:
        (N, 1024) float16 of length 1, whose products are the cosines of how often texts have each
        piece of a word, about; 0 of a text without a letter.
    """
    assert isinstance(store, TextStore)
    prints = np.zeros((len(store), _WIDTH), dtype=np.float16)
    start = 0
    for stop, texts in store.beginnings(None):
        prints[start:stop] = outline_texts(texts)
        start = stop
        if progress is not None:
            progress(stop, len(store))
    return prints


def outline_texts(texts: Sequence[str]) -> Any:
    """Outline B texts: (B, 1024) float32."""
    return _COUNTER.transform(texts).toarray()
