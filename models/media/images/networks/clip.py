"""Networks that have learned from images and their captions, from a file of weights.

Source: A. Radford et al., "Learning Transferable Visual Models From Natural Language Supervision",
ICML 2021. The network and the tokenizer are those of the package open_clip.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import open_clip
import torch
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from torch import Tensor
from torch.nn import functional

from models.device import best_device
from models.errors import ModelError
from models.media.images.weight_files.caption_names import as_open_clip
from models.media.images.weight_files.fitting import left_aside, read_finite, require_finite
from models.media.images.weight_files.header import Header, preprocessing_of, read_header
from models.protocols import Float32Array

CONFIG: Final = "model_cfg"
"""In the metadata of a file: what open_clip_config.json calls by this name, as JSON."""
_NAMED: Final = 6
_USUAL: Final = "ViT-B-32"
_MASK: Final = "attn_mask"
# Buffers and parameters of other uses; files of some versions have them.
_UNUSED: Final = frozenset({_MASK, "input_resolution", "context_length", "vocab_size"})


class Clip:
    """Images and texts to rows of unit length, whose products say how well they fit together."""

    def __init__(self, file: Path, architecture: str) -> None:
        """Read a file of weights.

        Args:
            file: a safetensors file, with the names of open_clip or of transformers.
            architecture: as open_clip calls it; the file may describe a network of its own.

        Raises:
            ModelError: there is no such architecture, or the file is not of it.
        """
        header = read_header(file)
        config = _config(architecture, header.metadata)
        network = _network(config, architecture)
        _fill(network, file, header, architecture)
        wanted = preprocessing_of(header.metadata)
        side = config["vision_cfg"]["image_size"]
        self.side: int = side if isinstance(side, int) else min(side)
        self.dimension: int = config["embed_dim"]
        self._device = best_device()
        self._network = network.to(self._device).requires_grad_(False).eval()
        mean, std = (
            torch.tensor(given or usual, device=self._device).view(3, 1, 1)
            for given, usual in (
                (wanted.mean, open_clip.OPENAI_DATASET_MEAN),
                (wanted.std, open_clip.OPENAI_DATASET_STD),
            )
        )
        self._mean, self._std = mean, std
        self._tokens = open_clip.SimpleTokenizer(context_length=network.context_length)

    @torch.inference_mode()
    def images(self, pixels: NDArray[Any]) -> Float32Array:
        """Map (B, S, S, 3) uint8 images to (B, E) float32 rows of unit length."""
        images = torch.from_numpy(pixels).to(self._device).permute(0, 3, 1, 2).float() / 255
        if images.shape[-1] != self.side:
            sides = (self.side, self.side)
            images = functional.interpolate(images, sides, mode="bicubic", antialias=True).clip(
                0, 1
            )
        # A CPU with bfloat16 takes three times as long in it for such a network.
        is_gpu = self._device.type == "cuda"
        with torch.autocast(self._device.type, torch.bfloat16, enabled=is_gpu):
            rows = self._network.encode_image((images - self._mean) / self._std)
        return _unit(rows)

    @torch.inference_mode()
    def texts(self, captions: list[str]) -> Float32Array:
        """Map T captions to (T, E) float32 rows of unit length; what is too long is cut off."""
        return _unit(self._network.encode_text(self._tokens(captions).to(self._device)))


class CaptionedImages:
    """Images to rows that captions are compared with."""

    learns = False

    def __init__(self, clip: Clip) -> None:
        """Take a network."""
        self._clip = clip
        self.dimension = clip.dimension
        # Progress is told every sixteen of these.
        self.block = 8 if best_device().type == "cpu" else 256

    def extract(self, pixels: NDArray[Any]) -> Float32Array:
        """Map (B, S, S, 3) uint8 images to (B, E) float32 rows of unit length."""
        return self._clip.images(pixels)

    def save(self, path: Path, metadata: Mapping[str, str]) -> None:
        """Nothing: the file of weights is kept by itself."""


def check_clip(file: Path, architecture: str) -> tuple[str, ...]:
    """Say which tensors of a file are of no use to a network of this architecture.

    Raises:
        ModelError: there is no such architecture, or the file is not of it.
    """
    header = read_header(file)
    preprocessing_of(header.metadata)
    network = _network(_config(architecture, header.metadata), architecture)
    nothing = {name: torch.empty(shape, device="meta") for name, shape in header.shapes.items()}
    unused = _fitting(network, as_open_clip(nothing), header, architecture)
    require_finite(file, header)
    return unused


def _config(architecture: str, metadata: Mapping[str, str]) -> dict[str, Any]:
    said = metadata.get(CONFIG)
    if said is not None:
        return _described(said)
    config = open_clip.get_model_config(architecture)
    if config is None or not _is_plain(config):
        known = [
            one for one in open_clip.list_models() if _is_plain(open_clip.get_model_config(one))
        ]
        raise ModelError(
            f"open_clip has no network {architecture!r} with the tokenizer of CLIP; known: "
            f"{', '.join(known[:_NAMED])}, ... (open_clip.list_models())."
        )
    return dict(config)


def _is_plain(config: Mapping[str, Any] | None) -> bool:
    """Whether texts are cut into tokens as CLIP does it, by a table that is installed."""
    if config is None or config.get("custom_text") or "multimodal_cfg" in config:
        return False
    return not {"hf_model_name", "hf_tokenizer_name"} & set(config["text_cfg"])


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid")

    width: int = Field(ge=1, le=8192)
    layers: int = Field(ge=1, le=128)


class _Vision(_Part):
    image_size: int = Field(ge=8, le=1024)
    patch_size: int = Field(ge=2, le=128)
    head_width: int = Field(default=64, ge=1, le=1024)


class _Text(_Part):
    vocab_size: int = Field(default=49_408, ge=49_408, le=49_408)
    context_length: int = Field(default=77, ge=8, le=1024)
    heads: int = Field(ge=1, le=128)


class _Described(BaseModel):
    """A vision transformer and a transformer of texts, of any size."""

    model_config = ConfigDict(extra="forbid")

    embed_dim: int = Field(ge=1, le=8192)
    quick_gelu: bool = False
    vision_cfg: _Vision
    text_cfg: _Text


def _described(said: str) -> dict[str, Any]:
    try:
        return _Described.model_validate_json(said).model_dump()
    except ValidationError as error:
        what = "; ".join(
            f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()[:3]
        )
        raise ModelError(f"The {CONFIG} of the file describes no CLIP: {what}.") from error


def _network(config: Mapping[str, Any], architecture: str) -> Any:
    """The network without numbers."""
    with torch.device("meta"):
        network = open_clip.CLIP(**config)
    computed = {name for name, _ in network.named_buffers()} - set(network.state_dict())
    if computed != {_MASK}:
        raise ModelError(
            f"Networks like {architecture} work with numbers that are in no file and are not "
            f"computed here; choose another, such as {_USUAL}."
        )
    return network


def _fill(network: Any, file: Path, header: Header, architecture: str) -> None:
    """Put the tensors of a file into a network."""
    tensors = as_open_clip(read_finite(file, list(header.shapes)))
    for name in _fitting(network, tensors, header, architecture):
        del tensors[name]
    # Each goes as soon as there is another one of it.
    state = {name: tensors.pop(name).float() for name in list(tensors)}
    network.load_state_dict(state, assign=True)
    # What no file holds is computed: which places of a text may look at which (`_MASK`).
    length = network.context_length
    network.attn_mask = torch.full((length, length), -torch.inf).triu_(1)


def _fitting(
    network: Any, tensors: Mapping[str, Tensor], header: Header, architecture: str
) -> tuple[str, ...]:
    """Names of the tensors that a network does not need; of those that it does none is missing."""
    shapes = {name: tuple(tensor.shape) for name, tensor in tensors.items() if name not in _UNUSED}
    left_aside(Header(shapes, header.metadata), network, (), architecture)
    return tuple(name for name in tensors if name in _UNUSED)


def _unit(rows: Tensor) -> Float32Array:
    result: Float32Array = functional.normalize(rows.float(), dim=1).cpu().numpy()
    return result
