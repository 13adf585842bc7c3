"""A project with a single class: its images, or none of it."""

from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from core.states import ArtifactKind, JobState, Split, Verdict
from core.tables import Annotation, Artifact, Example
from models.media.images.store import PixelStore
from models.ranking.pool_scores import PoolScores
from tests.workers.loop import Loop
from tests.workers.starting import done_job
from tests.workers.test_dry_run import QUICK
from tests.world import World
from workers.advance.evaluating import NO_NONE_NOTE, NO_PROBABILITY_NOTE

SIZE = 8
STRATEGY = {"name": "expected_value"}
# A third is left out at a time, so that four answers of none teach by two at least.
PURITY = {"name": "probe", "params": {"least_ood": 2}}


class Dogs(Loop):
    """Sixty images, a third of them no dog, which look otherwise."""

    def __init__(self, world: World, *, none: int = 9, **settings: Any) -> None:
        super().__init__(
            world, classes=("dog",), budget=20, model={"name": "patch_kmeans"},
            **{"strategy": STRATEGY, "purity": PURITY, **settings},
        )  # fmt: skip
        world.add_images(self.project, none, Split.AUXILIARY_OOD)
        world.session.commit()
        statement = select(Example).where(Example.project_id == self.project.id)
        rng = np.random.default_rng(0)
        path = world.storage.pixels(self.project.id, SIZE, "crop")
        with PixelStore.writer(path, SIZE) as pixels:
            for example in world.session.scalars(statement).all():
                is_none = (
                    example.pool_index % 3 == 0
                    if example.split is Split.POOL
                    else example.split is Split.AUXILIARY_OOD
                )
                # Stripes across, or upright.
                stripes = np.indices((SIZE, SIZE))[0 if is_none else 1] % 4 < 2
                noise = rng.integers(0, 60, (SIZE, SIZE, 3))
                pixels.write(
                    example.pool_index, (stripes[..., None] * 180 + noise).astype(np.uint8)[None]
                )

    def given(self) -> list[Verdict]:
        """The answers that count."""
        statement = select(Annotation.verdict).where(
            Annotation.project_id == self.project.id, Annotation.counted
        )
        return list(self.session.scalars(statement))

    def scores(self, number: int) -> PoolScores:
        """What the round was selected by."""
        statement = select(Artifact).where(
            Artifact.round_id == self.rounds()[number].id, Artifact.kind == ArtifactKind.SCORES
        )
        artifact = self.session.scalars(statement).one()
        return PoolScores.from_parquet(self.world.storage.artifact(artifact.storage_key))


@pytest.mark.parametrize("strategy", ["expected_value", "most_likely", "mqnet"])
def test_two_rounds_learn_to_tell_the_class_from_none(world: World, strategy: str) -> None:
    loop = Dogs(world, strategy={"name": strategy})
    loop.advance(0, 12)
    loop.advance(1, 20)
    first, second = loop.rounds()[:2]
    for one in (first, second):
        assert one.metrics["examples"] == 2 * 9
        measured = one.metrics["telling"]
        assert (measured["inside"], measured["ood"]) == (12, 9)
    assert second.accuracy is not None
    assert second.accuracy >= 0.9
    assert second.metrics["telling"]["auroc"] >= 0.9
    none = sum(verdict is Verdict.OOD for verdict in loop.given())
    left_out = second.metrics["purity_left_out"]
    assert left_out["auroc"] >= 0.9
    assert (left_out["inside"], left_out["ood"]) == (32 - none, none)
    scores = loop.scores(2)
    # An answer teaches most where it is not clear whether the image is of the class.
    doubt = 1 - np.abs(2 * scores.purity - 1)
    np.testing.assert_allclose(scores.informativeness, doubt, atol=1e-3)
    if strategy == "most_likely":
        asked = [pool_index for _, pool_index, _ in loop.queue(1)]
        assert np.mean([index % 3 != 0 for index in asked[:20]]) >= 0.9
    if strategy == "mqnet":
        # It has learned: of one class alone there is something to lose as well.
        assert not any("one loss" in note for note in loop.rounds()[2].notes)
        assert "rounds/2/mqnet.safetensors" in loop.files()


def test_without_images_of_none_the_round_says_what_is_missing(world: World) -> None:
    loop = Dogs(world, none=0)
    loop.advance(0, 12)
    (first, *_) = loop.rounds()
    assert first.accuracy is None
    assert NO_NONE_NOTE in first.notes


def test_without_a_probability_only_the_order_is_judged(world: World) -> None:
    loop = Dogs(world, purity={"name": "knn"})
    loop.advance(0, 12)
    (first, *_) = loop.rounds()
    assert first.accuracy is None
    assert first.metrics["telling"]["auroc"] >= 0.9
    assert NO_PROBABILITY_NOTE in first.notes


def test_the_pages_are_told_what_was_measured(http: TestClient, world: World) -> None:
    loop = Dogs(world, goal="find_all")
    loop.advance(0, 12)
    loop.advance(1, 20)
    headers, path = world.caller().headers, f"/api/projects/{loop.project.id}"
    shown = http.get(f"{path}/rounds", headers=headers).json()["items"][1]
    assert shown["metrics"]["telling"]["average_precision"] >= 0.9
    found = http.get(f"{path}/outlook", headers=headers).json()
    assert found["goal"] == "find_all"
    left = next(one for one in found["reasons"] if one["code"] == "left")["values"]
    labeled = http.get(path, headers=headers).json()["counts"]["labeled_in"]
    assert left["found"] == labeled
    # Forty of the sixty are dogs.
    assert left["low"] <= 40 - labeled <= left["high"]
    assert found["advice"] in {"go_on", "unclear"}


@pytest.mark.parametrize(("kind", "why"), [("relabel", "the project has one"), ("prune", "two")])
def test_labels_of_one_class_are_not_judged_and_it_is_said_why(
    http: TestClient, world: World, kind: str, why: str
) -> None:
    loop = Dogs(world)
    loop.advance(0, 12)
    job = done_job(http, world, loop.project, kind, QUICK[kind])
    assert job.state is JobState.FAILED
    assert job.error is not None
    assert why in job.error["detail"]
