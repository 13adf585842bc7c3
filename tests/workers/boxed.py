"""A project whose images show one bright square each, with its box."""

import io
import uuid
from hashlib import sha256

import numpy as np
from PIL import Image

from core.states import ExampleState, Source, Split, Verdict
from core.tables import Annotation, Example, Project
from core.tasks.boxes import Box, BoxesLabel
from models.media.images.store import PixelStore
from tests.world import World

SIDE = 16


def boxed_project(world: World, *, images: int = 24, evaluation: int = 8, ood: int = 6) -> Project:
    """Draw it: every box was imported, and some images are known as OOD.

    Pictures are wider than they are high; models see the middle, as everywhere.
    """
    project = world.project(input_size=SIDE)
    project.task = "boxes"
    classes = world.classes(project)
    splits = [Split.POOL] * images + [Split.EVALUATION] * evaluation + [Split.AUXILIARY_OOD] * ood
    with PixelStore.writer(world.storage.pixels(project.id, SIDE, "crop"), SIDE) as pixels:
        for index, split in enumerate(splits):
            draw = np.random.default_rng(index)
            image = draw.integers(0, 60, (SIDE, SIDE + 4, 3), dtype=np.uint8)
            left, top = (int(one) for one in draw.integers(2, 8, 2))
            kind = index % 2
            if split is not Split.AUXILIARY_OOD:
                image[top : top + 6, left : left + 8, kind] = 230
            file = io.BytesIO()
            Image.fromarray(image).save(file, "PNG")
            digest = sha256(file.getvalue()).digest()
            world.storage.put_image(digest, file.getvalue())
            pixels.write(index, image[None, :, 2:-2])
            box = Box(class_id=classes[kind].id, x=left, y=top, w=8, h=6)
            label = BoxesLabel(type="boxes", boxes=(box,)).model_dump(mode="json")
            example = Example(
                project_id=project.id,
                pool_index=index,
                content_hash=digest,
                media_type="image/png",
                bytes=len(file.getvalue()),
                width=SIDE + 4,
                height=SIDE,
                split=split,
                state=ExampleState.LABELED if split is Split.POOL else ExampleState.UNLABELED,
                name=f"{index}.png",
                label=None if split is Split.AUXILIARY_OOD else label,
                meta={},
            )
            world.session.add(example)
            if split is Split.POOL:
                world.session.flush()
                world.session.add(said(example, label))
    world.session.commit()
    return project


def said(example: Example, label: dict[str, object] | None) -> Annotation:
    """An imported label; none is OOD."""
    return Annotation(
        project_id=example.project_id,
        example_id=example.id,
        source=Source.IMPORT,
        source_name="label",
        client_key=uuid.uuid4(),
        verdict=Verdict.OOD if label is None else Verdict.LABEL,
        label=label,
        seconds=0,
        cost=0,
        counted=True,
    )
