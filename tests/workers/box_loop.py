"""A project of boxes whose annotators know where every shape is."""

import io
from hashlib import sha256
from typing import Any

from PIL import Image
from sqlalchemy import func, select

from api.projects.settings import checked
from core.states import ExampleState, Medium, ProjectState, Role, Split, Verdict
from core.tables import Annotation, Example, Query, Round
from core.verdicts.consensus import EXAMPLE_STATE_AFTER
from models.media.images.store import PixelStore
from tests.shapes import Scene, scene
from tests.workers.loop import Loop
from tests.world import World

SIDE = 64


def _scene(index: int) -> Scene:
    """Every fourth has stripes and no shape."""
    return scene(index, side=SIDE, shapes=0 if index % 4 == 3 else None)


class BoxLoop(Loop):
    """Plays annotators that draw squares and discs; every other picture without any is OOD."""

    def __init__(
        self, world: World, *, images: int = 48, evaluation: int = 24, **settings: Any
    ) -> None:
        self.world, self.session = world, world.session
        self.annotator = world.caller(Role.ANNOTATOR).user
        given = checked({"input_size": SIDE, "budget": 8, **settings}, task="boxes")
        project = world._project(
            ("square", "disc"), ProjectState.RUNNING, given.model_dump(mode="json"), Medium.IMAGE
        )
        project.task = "boxes"
        self.project, self.classes = project, world.classes(project)
        self._add(images, Split.POOL)
        self._add(evaluation, Split.EVALUATION)
        self.session.commit()
        world.open_round(project, 12)

    def truth(self, index: int) -> dict[str, Any]:
        """What is in the image at a pool index."""
        square, disc = (one.id for one in self.classes)
        return _scene(index).label((square, disc))

    def _add(self, count: int, split: Split) -> None:
        first = self.session.scalar(
            select(func.count()).where(Example.project_id == self.project.id)
        )
        assert first is not None
        path = self.world.storage.pixels(self.project.id, SIDE, self.project.settings["fit"])
        with PixelStore.writer(path, SIDE) as writer:
            for index in range(first, first + count):
                one = _scene(index)
                writer.write(index, one.pixels[None])
                self.session.add(self._example(index, one, split))

    def _example(self, index: int, one: Scene, split: Split) -> Example:
        content = io.BytesIO()
        Image.fromarray(one.pixels).save(content, "PNG")
        digest = sha256(content.getvalue()).digest()
        self.world.storage.put_image(digest, content.getvalue())
        return Example(
            project_id=self.project.id, pool_index=index, content_hash=digest,
            media_type="image/png", bytes=len(content.getvalue()), width=SIDE, height=SIDE,
            split=split, state=ExampleState.UNLABELED, name=f"{index}.png", meta={},
            label=self.truth(index) if split is Split.EVALUATION else None,
        )  # fmt: skip

    def answer(self, number: int, n: int, verdict: Verdict | None = None) -> None:
        """Draw what is there; of stripes every other image is said to have nothing in it."""
        round_ = self.rounds()[number]
        for query, example in self.waiting(round_, n):
            is_ood = example.pool_index % 8 == 3
            given = verdict or (Verdict.OOD if is_ood else Verdict.LABEL)
            label = self.truth(example.pool_index) if given is Verdict.LABEL else None
            self._keep(round_, query, example, given, label)
        self.session.commit()

    def _keep(
        self, round_: Round, query: Query, example: Example, verdict: Verdict, label: Any
    ) -> None:
        self.session.add(
            Annotation(
                project_id=self.project.id, example_id=example.id, query_id=query.id,
                round_id=round_.id, annotator_id=self.annotator.id,
                client_key=func.gen_random_uuid(), verdict=verdict, label=label,
                seconds=1.0, cost=1.0, counted=True,
            )
        )  # fmt: skip
        round_.spent += 1.0
        query.done = True
        example.state, example.label = EXAMPLE_STATE_AFTER[verdict], label

    def proposals(self, number: int) -> list[tuple[int, list[dict[str, Any]] | None]]:
        """Pool index and proposals of each query of a round, in its order."""
        statement = (
            select(Example.pool_index, Query.proposals)
            .join(Example, Example.id == Query.example_id)
            .where(Query.round_id == self.rounds()[number].id)
            .order_by(Query.rank)
        )
        return [(index, found) for index, found in self.session.execute(statement)]
