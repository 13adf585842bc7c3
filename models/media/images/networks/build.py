"""Networks of the catalog, ready to be trained or restored."""

import torch

from models.catalog import find
from models.catalog.params import Params
from models.catalog.params.networks import BackboneParams, PackagedParams
from models.catalog.resolve import resolve
from models.media.images.networks.nets import Network
from models.media.images.networks.packaged import without_weights
from models.media.images.store import PixelStore

_STATISTICS_IMAGES = 4096


def build_network(
    name: str,
    params: Params,
    *,
    classes: int,
    store: PixelStore,
    seed: int,
    ood_output: bool = False,
    loss_prediction: bool = False,
) -> Network:
    """Build a network with the pixel statistics of its weights or the pool.

    Args:
        name: a model of the catalog.
        params: its parameters.
        classes: C.
        store: the pool.
        seed: decides the initial weights.
        ood_output: whether to give the head an output for OOD.
        loss_prediction: whether to add a loss-prediction module; it changes no other weight.

    Raises:
        ModelError: an unknown architecture, weights that cannot be had, or a network without the
            four stages that a loss-prediction module needs.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network: Network = resolve(find("model", name))(
            params, classes=classes, image_size=store.size
        )
        if ood_output:
            network.add_ood_output()
        if loss_prediction:
            network.add_loss_prediction(store.size)
    if not network.has_statistics:
        network.set_statistics(*_pixel_statistics(store))
    return network


def restore_network(
    name: str, params: Params, *, classes: int, image_size: int, state: dict[str, torch.Tensor]
) -> Network:
    """Rebuild a network from its saved weights, without those that it began with."""
    # The mean and std of published weights are part of the saved state.
    network: Network
    if isinstance(params, PackagedParams):
        network = without_weights(name, params, classes=classes, image_size=image_size)
    else:
        if isinstance(params, BackboneParams):
            params = params.model_copy(update={"mode": "scratch"})
        network = resolve(find("model", name))(params, classes=classes, image_size=image_size)
    if len(state["head.bias"]) > classes:
        network.add_ood_output()
    if "loss_prediction.last.weight" in state:
        network.add_loss_prediction(image_size)
    network.load_state_dict(state)
    return network


def _pixel_statistics(store: PixelStore) -> tuple[torch.Tensor, torch.Tensor]:
    """Channel mean and standard deviation, (3,) each, of pixels in 0..1 over a sample."""
    sample = store[slice(0, None, max(1, len(store) // _STATISTICS_IMAGES))]
    pixels = torch.from_numpy(sample).flatten(0, 2).double() / 255
    return pixels.mean(dim=0).float(), pixels.std(dim=0).clamp(min=1e-2).float()
