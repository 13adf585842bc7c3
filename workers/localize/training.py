"""Training one method on what was gathered."""

from typing import Any

from models.catalog.params.localize import LocalizeParams
from models.media.images.store import PixelStore
from models.tasks.localization.networks import Localizer, build_localizer
from models.tasks.localization.train import Examples, train_localizer
from workers.localize.gather import Known


def train_known(
    known: Known, store: PixelStore, params: LocalizeParams, method: str, **how: Any
) -> Localizer:
    """Train one method on what was gathered; ``how`` is passed on to ``train_localizer``."""
    inside = known.inside
    network = build_localizer(params, store=store, classes=len(known.class_ids), seed=known.seed)
    network.begin_with(inside.boxes.mean(axis=0))
    examples = Examples(
        store.take(inside.indices), inside.classes, inside.boxes, store.take(known.ood)
    )
    return train_localizer(network, examples, params, method, seed=known.seed, **how)
