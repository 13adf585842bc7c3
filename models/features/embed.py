"""Frozen mode: embeddings of the whole pool, computed once and kept in one .npy file."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from models.catalog import find, parse, require_served
from models.catalog.params import Params
from models.catalog.params.detection import DetectorParams
from models.catalog.params.networks import (
    BackboneParams,
    HeadParams,
    PackagedParams,
    PublishedParams,
    TrainingParams,
)
from models.catalog.resolve import resolve
from models.errors import ModelError
from models.files import tensorfile
from models.media.base import Store
from models.media.embedding_files import discard_work, write_embeddings
from models.media.images.extractor import NetworkExtractor
from models.media.images.networks.build import build_network, restore_network
from models.media.images.networks.nets import Network
from models.media.images.store import images_of
from models.media.images.weight_files.fitting import digest
from models.protocols import Extractor, Progress

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
        discard_work(out)
        out.unlink(missing_ok=True)
        extractor_path(out).unlink()

    def extractor() -> Extractor:
        return _extractor(store, name, params, out=out, seed=seed, progress=progress)

    write_embeddings(store, extractor, out=out, progress=progress, rows=rows)


def extractor_path(out: Path) -> Path:
    """Return where the extractor of an embeddings file is kept."""
    return Path(out).with_suffix(".extractor.safetensors")


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
    packaged = isinstance(params, PackagedParams)
    return NetworkExtractor(network, params.precision, rooted=packaged, whole=not packaged)


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
