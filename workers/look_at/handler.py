"""The ``look_at`` job: show where on one image the last round's classifier sees a class."""

from typing import Any, Final

import numpy as np

from core.errors import Conflict, NotFound
from core.jobs.params import LookAtParams
from core.rounds import newest_model
from core.settings.project import ProjectSettings
from core.tables import Example, Project
from models.catalog.params.localize import THRESHOLD
from models.media.images.store import images_of
from models.tasks.localization.judge import boxes_of_maps
from models.tasks.localization.map_box import scaled_map
from models.tasks.localization.squares import on_picture
from workers.jobs.context import JobContext, Phase
from workers.jobs.stores import frame_of, open_store
from workers.look_at.lookers import looker_of


def run(context: JobContext) -> dict[str, Any]:
    """Return the map, and what the classifier says."""
    return context.finish(lambda: context.run(PHASES, context))


def look(context: JobContext) -> None:
    """Look at the image, and keep what is seen.

    Raises:
        Conflict: ``no_model``, no round has trained one, or ``unknown_class``, it does not know the
            class.
        NotFound: The image was withdrawn meanwhile.
        ModelError: What it tells classes by has no place on the image.
    """
    asked = LookAtParams.of(context)
    with context.sessions() as session:
        project = session.get_one(Project, context.project_id)
        settings = ProjectSettings.model_validate(project.settings)
        frame = frame_of(project.medium, settings)
        assert frame is not None  # of texts the API has refused
        example = session.get_one(Example, asked.example_id)
        if example.split is None:
            raise NotFound("example")
        index, size = example.pool_index, (example.width, example.height)
        row = session.execute(newest_model(context.project_id)).first()
    if row is None:
        raise Conflict("no_model", "No round has trained a model yet; finish the first one.")
    artifact, number = row
    class_ids: list[int] = artifact.meta["class_ids"]
    if asked.class_id is not None and asked.class_id not in class_ids:
        raise Conflict(
            "unknown_class",
            f"The model of round {number} does not know this class yet; finish a round that does.",
        )
    looker = looker_of(context.storage, artifact, settings, frame.side)
    store = images_of(open_store(context.storage, context.project_id, frame, index + 1))
    pixels = store[np.array([index])]
    said = looker.look(pixels).probabilities[0]
    shown = int(said.argmax()) if asked.class_id is None else class_ids.index(asked.class_id)
    seen = looker.look(pixels, np.array([shown]))
    sizes = np.array([size], dtype=np.int64)
    boxes, constant = boxes_of_maps(seen.evidence, frame.side, THRESHOLD)
    left, top, width, height = frame.windows(sizes)[0].tolist()
    result = {
        "round": number,
        "class_id": class_ids[shown],
        "probability": round(float(said[shown]), 4),
        "predicted_class_id": class_ids[int(said.argmax())],
        "map": np.round(255 * scaled_map(seen.evidence[0])).astype(int).tolist(),
        "square": [left, top, left + width, top + height],
        "box": None if constant else np.round(on_picture(boxes, sizes, frame)[0], 2).tolist(),
    }
    context.save({"result": result})


PHASES: Final = (Phase("look", look),)
