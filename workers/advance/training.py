"""The model of a round: what it looks at, and its training."""

from dataclasses import replace

import numpy as np

from core.artifacts.features import learned_digest
from core.artifacts.nearness import complete_screen
from core.tasks.registry import task_type
from models.catalog.params.networks import compared_width
from models.features.embed import embed_pool
from models.media.images.store import images_of
from models.protocols import Indices
from models.target.train import training_notes
from models.tasks.base import Training
from workers.advance.advance import Advance
from workers.labels.job_inputs import class_names


def embed(advance: Advance) -> None:
    """Embed the images that have no embedding yet."""
    if not advance.has_weights:
        # What the first queue could do without has to be there now.
        advance.settings = Advance.open(advance.context).settings
    if advance.frozen:
        embed_pool(
            advance.store,
            advance.settings.model.name,
            advance.settings.model.params,
            out=advance.embeddings_file,
            seed=advance.settings.seed,
            progress=advance.context.progress,
        )
        path = advance.embeddings_file
        advance.note("embed", {"features": learned_digest(path)})
        width = int(np.load(path, mmap_mode="r").shape[1])
        complete_screen(path, compared_width(advance.settings.model.name, width))
    if (features := advance.learned_features) is not None:
        features.complete(images_of(advance.store), advance.context.progress)
        complete_screen(features.file)


def train(advance: Advance) -> None:
    """Train the target model on every verdict; what OOD verdicts are for is its parameters'."""
    training = training_of(advance)
    present = training.targets.present()
    if len(present) == 0:
        advance.note("train", {"notes": [_nothing_to_learn(advance)]})
        return
    notes = training_notes(
        training.name,
        training.params,
        inside=len(training.indices),
        ood=len(training.ood_indices),
        auxiliary=len(training.auxiliary_indices),
        missing=_names_without(advance, present),
    )
    if left_out := len(advance.snapshot.dropped):
        notes = (*notes, f"Trained without {left_out} labels that the subset drops.")
    checkpoint = advance.file("training.safetensors")
    model = advance.learner.train(replace(training, checkpoint=checkpoint))
    model.save(advance.file("model.safetensors"))
    columns = getattr(model, "columns", None)
    advance.note("train", {"notes": [*notes, *model.notes], "columns": columns})
    checkpoint.unlink(missing_ok=True)


def training_of(advance: Advance) -> Training:
    """All that the model of the round learns from."""
    indices, targets = advance.snapshot.trained()
    chosen = advance.settings.model
    return Training(
        advance.store,
        indices,
        targets,
        classes=advance.snapshot.classes,
        name=chosen.name,
        params=chosen.params,
        seed=advance.seed,
        ood_indices=advance.snapshot.ood,
        auxiliary_indices=advance.snapshot.auxiliary,
        embeddings=advance.embeddings(),
        progress=advance.context.progress,
        processes=advance.context.settings.training_processes,
    )


def _nothing_to_learn(advance: Advance) -> str:
    if task_type(advance.snapshot.task).names_one_class:
        return "No image has a class yet, so no model was trained."
    return "No label to learn from yet, so no model was trained."


def _names_without(advance: Advance, present: Indices) -> list[str]:
    """Names of the classes that are not among the (n,) outputs."""
    if len(advance.snapshot.class_ids) == 0:
        return []
    missing = np.delete(advance.snapshot.class_ids, present)
    return class_names(advance.context, missing)
