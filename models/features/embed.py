"""Frozen mode: embeddings of the whole pool, computed once and kept in one .npy file."""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.lib.format import open_memmap
from numpy.typing import NDArray

from models import tensorfile
from models.catalog import find, parse, require_served
from models.device import place
from models.errors import ModelError
from models.files import write_atomically
from models.media.base import Batch, Store
from models.media.image import images_of
from models.media.text import TextStore
from models.networks.build import build_network, restore_network
from models.networks.nets import Network
from models.networks.weight_files.fitting import digest
from models.params import Params
from models.params.detection import DetectorParams
from models.params.networks import (
    BackboneParams,
    HeadParams,
    PackagedParams,
    PublishedParams,
    TrainingParams,
)
from models.protocols import Extractor, Float32Array, Progress
from models.resolve import resolve
from models.training.train import images_at_once, predict

_BLOCK = 256
_BLOCKS_PER_SAVE = 16
_COPIED_VALUES = 2**25
_ENOUGH_TO_FIT = 1_000
_FITTED_ON = "fitted_on"


def uses_embeddings(name: str, params: Mapping[str, Any]) -> bool:
    """Say whether a model trains only a head on cached embeddings (frozen mode)."""
    if "embeddings" in find("model", name).needs:
        return True
    return getattr(parse("model", name, params), "mode", None) == "frozen"


def embedding_params(name: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters that the embeddings depend on; those of the head are not among them."""
    parsed: Params = parse("model", name, params)
    head = set(HeadParams.model_fields)
    if isinstance(parsed, PublishedParams):
        head |= set(TrainingParams.model_fields) | {"mode", "tuned"}
    if isinstance(parsed, DetectorParams):
        head |= set(DetectorParams.model_fields)
    found = parsed.model_dump(exclude=head)
    if isinstance(parsed, BackboneParams):
        # By what it holds: another file may get its name. Without one it is as it ever was.
        del found["weights"]
        if parsed.wants_file:
            found["weights"] = digest(parsed.weights)
    return found


def embed_pool(
    store: Store,
    name: str,
    params: Mapping[str, Any],
    *,
    out: Path,
    seed: int,
    progress: Progress | None = None,
    rows: tuple[int, int] | None = None,
) -> None:
    """Write the embeddings of the pool to `out`, a .npy file of shape (N, D).

    It is of float32, but for rows that hold maps, which are of float16. The first call fits the
    extractor and saves it beside `out`; later calls load it, so examples that are imported later
    get embeddings of the same kind. One that was fitted on few examples is
    fitted anew, and everything embedded anew, once there are twice as many: what a handful of them
    can be told apart by is too little for those that follow. `out` appears, or grows, in one
    rename; a killed call resumes where it stopped.

    Args:
        store: the pool, N images or texts.
        name: a model of the catalog in frozen mode.
        params: its parameters.
        out: where the embeddings go.
        seed: decides what is fitted, when something is.
        progress: counts the steps of fitting, then examples; may raise `Cancelled`.
        rows: compute only rows start..stop-1 and keep the others; default: the missing ones.

    Raises:
        ModelError: not a frozen model, one for another medium, `rows` leaves a gap, or `out` was
            made with other parameters.
    """
    out = Path(out)
    if not uses_embeddings(name, params):
        raise ModelError(f"The model {name} is not frozen; train it instead of embedding the pool.")
    require_served(find("model", name), store.medium)
    if out.exists():
        _require_made_by(name, embedding_params(name, params), out)
    if rows is None and _is_outgrown(out, len(store)):
        # In this order: an extractor without embeddings is still known to be outgrown.
        _discard_work(out)
        out.unlink(missing_ok=True)
        extractor_path(out).unlink()

    def extractor() -> Extractor:
        return _extractor(store, name, params, out=out, seed=seed, progress=progress)

    write_embeddings(store, extractor, out=out, progress=progress, rows=rows)


def write_embeddings(
    store: Store,
    make_extractor: Callable[[], Extractor],
    *,
    out: Path,
    progress: Progress | None = None,
    rows: tuple[int, int] | None = None,
) -> None:
    """Write embeddings of the pool to `out`, a float32 .npy file of shape (N, D).

    `out` appears, or grows, in one rename; a killed call resumes where it stopped.

    Args:
        store: the pool, N images or texts.
        make_extractor: called when there is anything to embed.
        out: where the embeddings go.
        progress: counts examples; may raise `Cancelled`.
        rows: compute only rows start..stop-1 and keep the others; default: the missing ones.

    Raises:
        ModelError: `rows` leaves a gap.
    """
    present = int(np.load(out, mmap_mode="r").shape[0]) if out.exists() else 0
    start, stop = rows if rows is not None else (present, len(store))
    if not 0 <= start <= stop <= len(store) or start > present:
        raise ModelError(
            f"Cannot embed rows {start}..{stop} of {len(store)}: {present} are embedded; start "
            "at or before the first missing row."
        )
    if start == stop and present:
        _discard_work(out)
        return
    extractor = make_extractor()
    work = _Work(start, stop, max(present, stop), extractor.dimension)
    array, done = _resume(out, work, getattr(extractor, "dtype", np.float32))
    blocks = _blocks(store, extractor, done, stop)
    while done < stop:
        if progress is not None:
            progress(done, stop)
        for end, batch in islice(blocks, _BLOCKS_PER_SAVE):
            array[done:end] = extractor.extract(batch)
            done = end
        _note_progress(out, array, work, done)
    os.replace(_partial(out), out)
    _discard_work(out)
    if progress is not None:
        progress(stop, stop)


def _blocks(
    store: Store, extractor: Extractor, start: int, stop: int
) -> Iterator[tuple[int, Batch]]:
    """Examples start..stop-1 in parts that fit into memory, each with where the next begins."""
    if isinstance(store, TextStore):
        yield from store.beginnings(getattr(extractor, "characters", None), start, stop)
        return
    block: int = getattr(extractor, "block", _BLOCK)
    for first in range(start, stop, block):
        end = min(first + block, stop)
        yield end, store[slice(first, end)]


def extractor_path(out: Path) -> Path:
    """Return where the extractor of an embeddings file is kept."""
    return Path(out).with_suffix(".extractor.safetensors")


class NetworkExtractor:
    """A network whose penultimate layer is the embedding."""

    def __init__(self, network: Network, precision: str, *, rooted: bool = False) -> None:
        """Take a network with its pixel statistics set.

        Args:
            network: what embeds.
            precision: as in `computes_in_bfloat16`.
            rooted: take square roots of features that are averages of activations and never
                negative, so that a few strong ones do not outweigh the others (F. Perronnin et
                al., Improving the Fisher Kernel for Large-Scale Image Classification, ECCV 2010,
                section 3.1).
        """
        self.network = place(network).eval()
        self.precision, self.rooted = precision, rooted
        self.dimension = network.dimension

    def extract(self, pixels: NDArray[np.uint8]) -> Float32Array:
        """Map (B, S, S, 3) uint8 images to (B, D) float32 embeddings."""
        rows = images_at_once(self.network, pixels.shape[1])
        result: Float32Array = np.empty((len(pixels), self.dimension), dtype=np.float32)
        for start in range(0, len(pixels), rows):
            block = slice(start, start + rows)
            result[block] = predict(self.network, pixels[block], self.precision).embeddings.numpy()
        return np.sqrt(result) if self.rooted else result

    def save(self, path: Path, metadata: Mapping[str, str]) -> None:
        """Write the weights to one safetensors file, atomically."""
        tensorfile.write(path, self.network.state_dict(), metadata)


def _extractor(
    store: Store,
    name: str,
    params: Mapping[str, Any],
    *,
    out: Path,
    seed: int,
    progress: Progress | None,
) -> Extractor:
    """Load the extractor of `out`, or fit and save it."""
    path = extractor_path(out)
    parsed = parse("model", name, params)
    wanted = embedding_params(name, params)
    if path.exists():
        _require_made_by(name, wanted, out)
        return _restored(name, parsed, tensorfile.read(path)[0], store.size)
    described = tensorfile.describe(name, wanted)
    if store.size is not None:
        described["image_size"] = str(store.size)
    extractor: Extractor
    if isinstance(parsed, PublishedParams):
        network = build_network(name, parsed, classes=1, store=images_of(store), seed=seed)
        extractor = _of_network(network, parsed)
    else:
        kind: Any = resolve(find("model", name))
        extractor = kind.fit(store, parsed, seed=seed, progress=progress)
        if getattr(kind, "learns", True):
            described[_FITTED_ON] = str(len(store))
    extractor.save(path, described)
    return extractor


def restore_extractor(out: Path, image_size: int | None = None) -> Extractor:
    """Load what has made an embeddings file, for examples that are no part of the pool.

    Args:
        out: the embeddings.
        image_size: of images, in pixels.

    Raises:
        ModelError: what has made them is gone.
    """
    path = extractor_path(out)
    if not path.exists():
        raise ModelError(f"{path.name} is missing: delete {out.name} and embed the pool again.")
    tensors, metadata = tensorfile.read(path)
    name = metadata["name"]
    return _restored(
        name, parse("model", name, json.loads(metadata["params"])), tensors, image_size
    )


def _restored(
    name: str, params: Params, tensors: dict[str, torch.Tensor], image_size: int | None
) -> Extractor:
    if isinstance(params, PublishedParams):
        assert image_size is not None
        network = restore_network(name, params, classes=1, image_size=image_size, state=tensors)
        return _of_network(network, params)
    extractor: Extractor = resolve(find("model", name))(tensors, params)
    return extractor


def _of_network(network: Network, params: PublishedParams) -> NetworkExtractor:
    return NetworkExtractor(network, params.precision, rooted=isinstance(params, PackagedParams))


def _is_outgrown(out: Path, examples: int) -> bool:
    """Whether an extractor was fitted on few examples, and there are at least twice as many now."""
    path = extractor_path(out)
    # Networks are fitted on nothing, and extractors of earlier versions do not say on what.
    noted = tensorfile.read_metadata(path).get(_FITTED_ON) if path.exists() else None
    fitted_on = _ENOUGH_TO_FIT if noted is None else int(noted)
    return fitted_on < _ENOUGH_TO_FIT and 2 * fitted_on <= examples


def _require_made_by(name: str, wanted: Mapping[str, Any], out: Path) -> None:
    """Refuse embeddings that another model has made, or the same with other parameters."""
    path = extractor_path(out)
    if not path.exists():
        raise ModelError(f"{path.name} is missing: delete {out.name} and embed the pool again.")
    metadata = tensorfile.read_metadata(path)
    if (metadata["name"], json.loads(metadata["params"])) != (name, wanted):
        raise ModelError(
            f"{out.name} was made by {metadata['name']} with {metadata['params']}; embed with "
            "other parameters into another file."
        )


@dataclass(frozen=True)
class _Work:
    """What a resumable call is about; a call about something else starts over."""

    start: int
    stop: int
    total: int
    dimension: int


def _partial(out: Path) -> Path:
    return out.with_name(out.name + ".partial")


def _state(out: Path) -> Path:
    return out.with_name(out.name + ".partial.json")


def _resume(out: Path, work: _Work, dtype: type[np.floating]) -> tuple[NDArray[Any], int]:
    """Open the unfinished file of the same work, or start one with the rows there already are."""
    with suppress(FileNotFoundError, ValueError):
        noted = json.loads(_state(out).read_text())
        if noted["work"] == asdict(work):
            return open_memmap(_partial(out), mode="r+"), int(noted["done"])
    out.parent.mkdir(parents=True, exist_ok=True)
    _state(out).unlink(missing_ok=True)
    array: NDArray[Any] = open_memmap(
        _partial(out), mode="w+", dtype=dtype, shape=(work.total, work.dimension)
    )
    if out.exists():
        old = np.load(out, mmap_mode="r")
        rows = max(1, _COPIED_VALUES // work.dimension)
        for first in range(0, len(old), rows):
            array[first : min(first + rows, len(old))] = old[first : first + rows]
    _note_progress(out, array, work, work.start)
    return array, work.start


def _note_progress(out: Path, array: NDArray[Any], work: _Work, done: int) -> None:
    # The rows must be on disk before the note that says they are.
    if isinstance(array, np.memmap):
        array.flush()
    noted = json.dumps({"work": asdict(work), "done": done})
    write_atomically(_state(out), lambda part: part.write_text(noted))


def _discard_work(out: Path) -> None:
    _state(out).unlink(missing_ok=True)
    _partial(out).unlink(missing_ok=True)
