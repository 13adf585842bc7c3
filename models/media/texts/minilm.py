"""Embeddings of texts by the packaged sentence encoder."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from models.catalog.params.networks import SENTENCE_DIMENSION as DIMENSION
from models.catalog.params.networks import MiniLMParams
from models.device import autocast, best_device
from models.errors import ModelError
from models.files import tensorfile
from models.media.base import Store
from models.media.texts.minilm_network import WEIGHTS, MiniLM, tokenizer
from models.numerics.similarity import unit_rows
from models.protocols import Float32Array, Progress

WINDOW: Final = 256
"""Tokens that the network sees at once, the first and the last among them."""

_INSIDE: Final = WINDOW - 2
_FIRST: Final = 101
_LAST: Final = 102
# Words of English have five characters a token: of more than this many, one is no text to read.
_MOST_CHARACTERS: Final = 32
# Tokens of a batch: a CPU keeps them in its caches, a GPU wants to be filled.
_TOKENS_CPU: Final = 4_096
_TOKENS_GPU: Final = 131_072


class MiniLMFeatures:
    """Texts to rows of unit length.

    A text of more than a window is cut into windows of 254 tokens, up to the limit of the
    parameters, and its embedding is the mean over all its tokens.
    """

    learns = False
    dimension = DIMENSION

    def __init__(self, tensors: Mapping[str, Tensor], params: MiniLMParams) -> None:
        """Take the weights that are installed.

        Args:
            tensors: what `save` has written, or nothing.
            params: see the schema.

        Raises:
            ModelError: the weights are not installed, or others than those that `tensors` names.
        """
        if "sha256" in tensors and bytes(tensors["sha256"].tolist()).hex() != WEIGHTS.sha256:
            raise ModelError(
                "The embeddings were made with other weights of minilm than those that are "
                "installed; remove them and embed the pool again."
            )
        self.params = params
        self.characters = params.windows * _INSIDE * _MOST_CHARACTERS
        self._network = MiniLM.published().to(best_device())
        self._tokenizer = tokenizer()

    @classmethod
    def fit(
        cls,
        store: Store,
        params: MiniLMParams,
        *,
        seed: int,
        progress: Progress | None = None,
    ) -> Self:
        """Return the extractor, which learns nothing from a pool."""
        del store, seed, progress
        return cls({}, params)

    def extract(self, texts: Sequence[str]) -> Float32Array:
        """Map B texts to (B, 384) float32 of unit length."""
        windows, owners = self._windows(texts)
        sums = np.zeros((len(texts), DIMENSION), dtype=np.float32)
        # Of like lengths together, so that little is padded.
        order = sorted(range(len(windows)), key=lambda one: len(windows[one]))
        for batch in _batches(order, windows, self._tokens_at_once):
            rows = self._embedded([windows[one] for one in batch])
            weights = np.array([[len(windows[one])] for one in batch], dtype=np.float32)
            np.add.at(sums, owners[batch], rows * weights)
        return unit_rows(sums)

    def save(self, path: Path, metadata: Mapping[str, str]) -> None:
        """Write which weights these are to one safetensors file, atomically.

        They are a part of the installation, and the same in every pool.
        """
        tensorfile.write(path, self.tensors, metadata)

    @property
    def tensors(self) -> dict[str, Tensor]:
        """What `save` writes."""
        digest = list(bytes.fromhex(WEIGHTS.sha256))
        return {"sha256": torch.tensor(digest, dtype=torch.uint8)}

    @property
    def _tokens_at_once(self) -> int:
        return _TOKENS_CPU if best_device().type == "cpu" else _TOKENS_GPU

    def _windows(self, texts: Sequence[str]) -> tuple[list[list[int]], NDArray[np.int64]]:
        """Token ids of all windows, and the text of each."""
        windows: list[list[int]] = []
        owners: list[int] = []
        limit = self.params.windows * _INSIDE
        for number, text in enumerate(texts):
            # One by one: what a long text is cut into takes a hundred times its room.
            read = text[: self.characters]
            ids = self._tokenizer.encode(read, add_special_tokens=False).ids[:limit]
            for start in range(0, max(1, len(ids)), _INSIDE):
                windows.append([_FIRST, *ids[start : start + _INSIDE], _LAST])
                owners.append(number)
        return windows, np.array(owners, dtype=np.int64)

    @torch.inference_mode()
    def _embedded(self, windows: Sequence[list[int]]) -> Float32Array:
        device = best_device()
        lengths = torch.tensor([len(one) for one in windows])
        tokens = torch.nn.utils.rnn.pad_sequence(
            [torch.tensor(one) for one in windows], batch_first=True
        )
        mask = torch.arange(tokens.shape[1]) < lengths[:, None]
        with autocast(self.params.precision, device, self._network):
            found: Float32Array = self._network(tokens.to(device), mask.to(device)).cpu().numpy()
        return found


def _batches(
    order: Sequence[int], windows: Sequence[Sequence[int]], tokens: int
) -> list[NDArray[np.int64]]:
    """Cut windows, the shortest first, into batches of at most so many tokens, padding included."""
    batches: list[list[int]] = [[]]
    for one in order:
        if batches[-1] and len(windows[one]) * (len(batches[-1]) + 1) > tokens:
            batches.append([])
        batches[-1].append(one)
    return [np.array(batch, dtype=np.int64) for batch in batches if batch]
