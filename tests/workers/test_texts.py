"""A project of texts: rounds that learn to tell its classes, and the jobs that are for texts."""

from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from fastapi.testclient import TestClient
from sklearn.metrics import roc_auc_score
from sqlalchemy import func, select

from core.states import ArtifactKind, JobState, ProjectState, Role, Split, Verdict
from core.tables import Annotation, Artifact, Job, Project, Suggestion
from core.tasks.classification import stored_class
from models.media.texts.store import TextStore
from tests.texts import CLASSES, mailbox
from tests.workers.loop import Loop
from tests.workers.starting import done_job
from tests.world import World

POOL, EVALUATION = 160, 40
SMALL: dict[str, Any] = {"name": "hashed_ngrams", "params": {"dimension": 32}}
NGRAMS = {"network": "hashed_ngrams"}


class Mailbox(Loop):
    """Plays the annotators of a pool of texts, a third of them out of distribution."""

    def __init__(self, world: World, **settings: Any) -> None:
        self.world, self.session = world, world.session
        self.annotator = world.caller(Role.ANNOTATOR).user
        texts, self.kinds = mailbox(POOL + EVALUATION)
        # Texts to evaluate on belong to classes, and stand last.
        inside = np.flatnonzero(self.kinds >= 0)[-EVALUATION:]
        order = np.concatenate([np.setdiff1d(np.arange(len(texts)), inside), inside])
        self.texts, self.kinds = [texts[row] for row in order], self.kinds[order]
        self.project = world.texts(
            self.texts[:POOL], classes=CLASSES, state=ProjectState.RUNNING, budget=12, **settings
        )
        self.classes = world.classes(self.project)
        for row in range(POOL, len(self.texts)):
            label = stored_class(self.classes[int(self.kinds[row])].id)
            fields = {"split": Split.EVALUATION, "label": label}
            world.add_text(self.project, row, self.texts[row], **fields)
        self.session.commit()
        with TextStore.writer(world.storage.texts(self.project.id)) as writer:
            writer.write(0, self.texts)
        world.open_round(self.project, 16)

    def answer(self, number: int, n: int, verdict: Verdict | None = None) -> None:
        """The first ``n`` queries are answered with what the texts are."""
        assert verdict is None
        round_ = self.rounds()[number]
        for query, example in self.waiting(round_, n):
            kind = int(self.kinds[example.pool_index])
            chosen = None if kind < 0 else self.classes[kind].id
            given = Verdict.OOD if chosen is None else Verdict.LABEL
            self._store(round_, query, example, given, chosen)
        self.session.commit()


def done(http: TestClient, world: World, project: Project, kind: str, **params: Any) -> Job:
    """A job that was started and run in this process, after a dry run of it."""
    for dry_run in (True, False):
        job = done_job(http, world, project, kind, params, dry_run=dry_run)
        assert job.state is JobState.SUCCEEDED, job.error
    return job


@pytest.mark.parametrize("model", ["minilm", "hashed_ngrams"])
def test_rounds_learn_to_tell_texts_and_what_is_none_of_them(world: World, model: str) -> None:
    settings = {} if model == "minilm" else {"model": SMALL}
    loop = Mailbox(world, **settings, purity={"name": "probe", "params": {"least_ood": 3}})
    loop.advance(0, 12)
    loop.advance(1, 12)
    _, second, third = loop.rounds()
    assert second.accuracy is not None
    assert second.accuracy > 0.8
    assert not [note for note in third.notes if "stands in" in note], third.notes
    queued = [index for _, index, _ in loop.queue(2)]
    assert len(set(queued)) == len(queued) >= 12
    statement = select(Artifact).where(
        Artifact.round_id == third.id, Artifact.kind == ArtifactKind.SCORES
    )
    scores = world.session.scalars(statement).one()
    table = pq.read_table(world.storage.fetch(scores.storage_key)).to_pydict()
    inside = loop.kinds[table["pool_index"]] >= 0
    assert roc_auc_score(inside, table["purity"]) > 0.8


def test_jobs_that_are_for_texts_take_them(http: TestClient, world: World) -> None:
    loop = Mailbox(world, model=SMALL, strategy={"name": "random"})
    project = loop.project
    loop.advance(0, 12)
    loop.advance(1, 12)
    loop.advance(2, 12)
    given = select(func.count()).where(Annotation.verdict == Verdict.LABEL)
    labeled = world.session.scalar(given)
    assert labeled is not None

    job = done(http, world, project, "prune", ratio=0.5, method="ssp", epochs=2, **NGRAMS)
    assert job.result is not None
    assert (job.result["labeled"], job.result["kept"]) == (labeled, round(labeled / 2))

    job = done(http, world, project, "relabel", **NGRAMS)
    assert job.result is not None
    assert job.result["network"] == "hashed_ngrams"
    assert job.result["test_accuracy"] > 0.7
    assert job.result["disagreements"] == len(world.session.scalars(select(Suggestion)).all())

    job = done(http, world, project, "embedding_map", perplexity=5.0)
    assert job.result is not None
    job = done(http, world, project, "compare")
    assert job.result is not None


@pytest.mark.parametrize(
    ("kind", "params", "reason"),
    [
        ("prune", {"network": "cnn_tiny"}, "model cnn_tiny serves images"),
        ("relabel", {"network": "auto"}, "choose one of auto_text, minilm, hashed_ngrams"),
        ("learn_features", {}, "job learn_features serves images"),
        ("resize", {}, "job resize serves images"),
    ],
)
def test_jobs_that_are_for_images_say_so(
    http: TestClient, world: World, kind: str, params: dict[str, Any], reason: str
) -> None:
    project = world.texts(["one text", "another"])
    body = {"kind": kind, "params": params}
    url = f"/api/projects/{project.id}/jobs"
    response = http.post(url, json=body, headers=world.caller().headers)
    assert response.status_code == 400, response.text
    assert reason in response.json()["detail"]
