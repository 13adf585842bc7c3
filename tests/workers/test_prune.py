"""Pruning labels: started through the API, run by a worker, used and taken back."""

from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, select

from core.artifacts.subsets import UNKNOWN
from core.files.storage import sha256
from core.jobs import queue
from core.jobs.messages import RunJob
from core.states import ArtifactKind, ExampleState, JobState, Source, Verdict
from core.tables import Annotation, Artifact, Example, Job
from core.tasks.classification import stored_class
from models.catalog import specs
from models.catalog.params.prune import PruneParams
from models.files.arrays import write_arrays
from models.protocols import Progress
from models.pruning.view import Pruned, PruningView
from models.pruning.warm_up import WarmUp
from models.target.train import train_target
from tests.processes import eventually, worker
from tests.workers.killing import kill_ending, kill_in_every_phase, kill_publishing, named, state
from tests.workers.loop import Loop
from tests.workers.starting import done_job, run_here, start_job, watch_progress
from tests.world import World
from workers.jobs.context import JobContext
from workers.labels.snapshot import Snapshot, take
from workers.labels.subset import dropped_by
from workers.prune import handler
from workers.prune.handler import PHASES
from workers.prune.premise import premise
from workers.prune.report import Found

QUICK = {"network": "cnn_tiny", "width": 4, "epochs": 2, "batch_size": 4, "flip": False}
METHODS = [spec.name for spec in specs() if spec.kind == "pruning"]


def start(http: TestClient, loop: Loop, **params: Any) -> Job:
    return start_job(http, loop.world, loop.project, "prune", QUICK | params)


def pruned(http: TestClient, loop: Loop, **params: Any) -> Job:
    """A job that was started and run in this process."""
    return run_here(loop.world, start(http, loop, **params))


def retry(http: TestClient, loop: Loop, job: Job) -> None:
    """Run a job that failed once more."""
    headers = loop.world.caller().headers
    assert http.post(f"/api/jobs/{job.id}/retry", headers=headers).status_code == 200
    run_here(loop.world, job)


def subset_of(loop: Loop, job: Job) -> Path:
    assert job.result is not None
    artifact = loop.session.get_one(Artifact, job.result["subset_id"])
    assert (artifact.kind, artifact.job_id) == (ArtifactKind.SUBSET, job.id)
    path = loop.world.storage.artifact(artifact.storage_key)
    assert artifact.sha256 == sha256(path)
    return path


def put(http: TestClient, loop: Loop, subset: int | None) -> Any:
    body = {"settings": {"subset": subset}}
    headers = loop.world.caller().headers
    return http.patch(f"/api/projects/{loop.project.id}", json=body, headers=headers)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_leaves_a_subset(http: TestClient, world: World, method: str) -> None:
    loop = Loop(world)
    loop.answer(0, 12, Verdict.LABEL)
    job = pruned(http, loop, method=method, ratio=0.5)
    if method == "ssp":
        assert job.state is JobState.FAILED
        assert job.error is not None
        assert "learn_features" in job.error["detail"]
        return
    assert job.state is JobState.SUCCEEDED, job.error
    assert job.result is not None
    assert (job.result["labeled"], job.result["kept"]) == (12, 6)
    assert (sum(job.result["before"]), sum(job.result["after"])) == (12, 6)
    table = pq.read_table(subset_of(loop, job)).to_pydict()
    assert [rank for rank in table["rank"] if rank] == [1, 2, 3, 4, 5, 6]
    assert table["rank"][6:] == [None] * 6
    for example_id, index in zip(table["example_id"], table["pool_index"], strict=True):
        assert loop.session.get_one(Example, example_id).pool_index == index
    shown = {
        name: {(one["example_id"], one["class_id"]) for one in some}
        for name, some in job.result["shown"].items()
    }
    rows = list(zip(table["example_id"], table["class_id"], strict=True))
    assert shown == {"kept": set(rows[:6]), "dropped": set(rows[6:])}
    assert all(0 < one <= 1 for one in table["confidence"])
    assert all(table["reason"])
    lines = {
        example: (rank, gain, confidence)
        for example, rank, gain, confidence in zip(
            *(table[name] for name in ("example_id", "rank", "gain", "confidence")), strict=True
        )
    }
    for one in (one for some in job.result["shown"].values() for one in some):
        assert lines[one["example_id"]] == (one["rank"], one["gain"], one["confidence"])
        assert one["reasons"]
    losses = [one["loss"] for one in job.result["shown"]["dropped"]]
    assert losses == sorted(losses, reverse=True)
    assert not world.storage.work(job.id).exists()


def test_a_head_is_not_judged_by_reviews_that_it_has_learned() -> None:
    rng, ids = np.random.default_rng(0), np.array([10, 11, 12, 13])
    labels, before = rng.integers(0, 4, (2, 400))
    noise = rng.standard_normal((400, 60)).astype(np.float32)
    found = Found(
        PruningView(labels, 4, plain_embeddings=noise),
        Pruned(np.arange(400), np.zeros(400), {"neighbourhood": rng.random(400)}),
        ids, np.arange(400), np.full(400, UNKNOWN),
        np.where(np.arange(400) % 2 == 0, ids[before], UNKNOWN),
    )  # fmt: skip
    told = premise(PruneParams(), found) or {}
    assert (told["by"], told["source"], told["known"]) == ("head", "reviews", 200)
    right = sum(one["known"] * one["relabeled_right"]["share"] for one in told["bins"])
    assert right / 200 < 0.35  # One in four, of features that tell nothing.


def test_noise_is_told_over_the_labels_whose_truth_is_known(http: TestClient, world: World) -> None:
    loop = Loop(world)
    loop.answer(0, 12, Verdict.LABEL)
    statement = select(Example).where(Example.project_id == loop.project.id)
    examples = {one.pool_index: one for one in loop.session.scalars(statement)}
    # Annotators called even images cat and odd ones dog.
    came_with = {0: "cat", 1: "cat", 2: "cat", 3: "dog", 4: "dog", 5: "horse", 6: 7}
    for index, label in came_with.items():
        examples[index].meta = {"label": label, "camera": "left"}
    loop.session.commit()
    job = pruned(http, loop, method="prune4rel", ratio=0.5)
    assert job.result is not None
    found = job.result["noise"]
    assert found["all"] == {"known": 5, "wrong": 2, "ratio": 0.4}
    assert found["kept"]["known"] + found["dropped"]["known"] == 5
    assert found["kept"]["wrong"] + found["dropped"]["wrong"] == 2
    mended = job.result["warm_up_corrects"]
    premise = job.result["premise"]
    assert (premise["by"], premise["source"], premise["known"]) == ("warm_up", "truth", 5)
    assert sum(one["count"] for one in premise["bins"]) == 12
    right = [one["labels_right"] for one in premise["bins"] if one["known"]]
    assert min(one["share"] for one in right) < 1
    for name, part in found.items():
        assert mended[name]["wrong"] == part["wrong"]
        assert 0 <= mended[name]["corrected"] <= part["wrong"]
    assert mended["all"]["corrected"] == (
        mended["kept"]["corrected"] + mended["dropped"]["corrected"]
    )
    assert mended["all"]["ratio"] == mended["all"]["corrected"] / 2
    path = subset_of(loop, job)
    table = pq.read_table(path).to_pydict()
    truths = dict(zip(table["pool_index"], table["true_class_id"], strict=True))
    cat, dog = (one.id for one in loop.classes)
    assert {index: truths[index] for index in range(7)} == {
        0: cat, 1: cat, 2: cat, 3: dog, 4: dog, 5: None, 6: None,
    }  # fmt: skip
    known = [
        one["true_class_id"] for name in ("kept", "dropped") for one in job.result["shown"][name]
    ]
    assert sorted(one for one in known if one) == sorted([cat, cat, cat, dog, dog])


def test_the_truth_is_read_however_an_import_has_written_it(http: TestClient, world: World) -> None:
    loop = Loop(world)
    loop.answer(0, 12, Verdict.LABEL)
    came_with = dict(
        enumerate(
            [
                "CAT",
                "house_cat",
                " House cat",
                "puppy",
                "Dog",
                "\uff44\uff4f\uff47",
                "hound",
                "moggy",
            ]
        )
    )
    statement = select(Example).where(Example.project_id == loop.project.id)
    for one in loop.session.scalars(statement):
        one.meta = {"label": came_with.get(one.pool_index)}
    cat, dog = loop.classes
    loop.session.commit()
    url, headers = f"/api/projects/{loop.project.id}", world.caller().headers

    def call(*named: tuple[int | None, str]) -> list[dict[str, Any]]:
        wanted = [{"name": name} | ({"id": one} if one else {}) for one, name in named]
        answer = http.patch(url, json={"classes": wanted}, headers=headers)
        assert answer.status_code == 200, answer.text
        found: list[dict[str, Any]] = answer.json()["classes"]
        return found

    # Two classes have been the hound; the moggy was one that is gone.
    call((cat.id, "hound"), (dog.id, "Puppy"))
    call((cat.id, "moggy"), (dog.id, "hound"))
    (_, _, gone) = call((cat.id, "cat"), (dog.id, "dog"), (None, "moggy"))
    call((cat.id, "House cat"), (dog.id, "dog"))
    assert gone["id"] not in {cat.id, dog.id}
    job = pruned(http, loop, method="uniform")
    table = pq.read_table(subset_of(loop, job)).to_pydict()
    truths = dict(zip(table["pool_index"], table["true_class_id"], strict=True))
    assert {index: truths[index] for index in came_with} == {
        0: cat.id, 1: cat.id, 2: cat.id, 3: dog.id, 4: dog.id, 5: dog.id, 6: None, 7: None,
    }  # fmt: skip
    assert job.result is not None
    assert job.result["noise"]["all"]["known"] == 6


def test_without_a_known_truth_nothing_is_said_of_noise(http: TestClient, world: World) -> None:
    loop = Loop(world)
    loop.answer(0, 12, Verdict.LABEL)
    job = pruned(http, loop, method="uniform")
    assert job.result is not None
    assert (job.result["noise"], job.result["neighbours"]) == (None, None)
    assert job.result["warm_up_corrects"] is None
    assert job.result["premise"] is None


@pytest.mark.parametrize("tau", [None, 0.9])
def test_neighbours_at_other_thresholds_are_told(
    http: TestClient, world: World, tau: float | None
) -> None:
    loop = Loop(world)
    loop.answer(0, 12, Verdict.LABEL)
    job = pruned(http, loop, method="prune4rel", tau=tau)
    assert job.result is not None
    found = job.result["neighbours"]
    assert found["automatic"] is (tau is None)
    assert found["tau"] == (job.result["extras"]["tau"] if tau is None else tau)
    assert found["tau"] in [pytest.approx(row["tau"], abs=1e-3) for row in found["rows"]]
    assert found["least"][:2] == [0, 1]
    for row in found["rows"]:
        assert sum(row["shares"]) == pytest.approx(1)


def test_a_warm_up_that_has_learned_nothing_is_warned_of(http: TestClient, world: World) -> None:
    loop = Loop(world)
    loop.answer(0, 12, Verdict.LABEL)
    blind = pruned(http, loop, method="small_loss", learning_rate=1e-9)
    assert blind.result is not None
    (warning,) = blind.result["warnings"]
    assert "what this subset keeps means little" in warning
    assert warning in blind.result["notes"]
    assert warning in world.storage.job_log(loop.project.id, blind.id).read_text()
    # What is taken up from it is no better, but chance alone needs no network.
    again = pruned(http, loop, method="margin", learning_rate=1e-9)
    uniform = pruned(http, loop, method="uniform", learning_rate=1e-9)
    taught = pruned(http, loop, method="small_loss", epochs=30)
    found = [job.result and job.result["warnings"] for job in (again, uniform, taught)]
    assert found == [[warning], [], []]


def test_a_threshold_that_isolates_everything_is_warned_of(http: TestClient, world: World) -> None:
    loop = Loop(world)
    loop.answer(0, 12, Verdict.LABEL)
    job = pruned(http, loop, method="prune4rel", tau=1.0, epochs=30)
    assert job.result is not None
    (warning,) = job.result["warnings"]
    assert "No kept example has a neighbour at tau 1.0000" in warning
    assert job.result["notes"].count(warning) == 1


def test_a_subset_that_lacks_a_class_is_warned_of(
    http: TestClient, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop = Loop(world)
    loop.answer(0, 12, Verdict.LABEL)
    # So few labels say enough here.
    monkeypatch.setattr("models.pruning.doubts._ENOUGH_EXPECTED", 0.1)
    for one in loop.session.scalars(select(Example).where(Example.project_id == loop.project.id)):
        # Annotators called even images cat and odd ones dog.
        one.meta = {"label": ("dog", "cat")[one.pool_index % 2]}
    loop.session.commit()
    job = pruned(http, loop, method="uniform", ratio=None, count=1)
    assert job.result is not None
    # Of noise nothing is said, as a random subset promises nothing.
    (uneven,) = job.result["warnings"]
    lost = ("cat", "dog")[job.result["after"].index(0)]
    assert f"less than half that share of some classes: {lost} (0.0 %)." in uneven


def test_the_time_left_is_that_of_all_phases(
    http: TestClient, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop = Loop(world)
    loop.answer(0, 12, Verdict.LABEL)
    seen = watch_progress(monkeypatch)
    # A second passes whenever somebody looks at the clock.
    clock = SimpleNamespace(monotonic=map(float, count()).__next__)
    monkeypatch.setattr("workers.jobs.eta.time", clock)
    job = pruned(http, loop, epochs=4, models=2)
    assert job.state is JobState.SUCCEEDED, job.error
    training = [one for one in seen if one["phase"] == "warm_up" and one["step"] > 1]
    last = training[-1]
    assert last["step"] == last["steps"] == 24
    # Looking at all with two models is 3 / 32 of training them; the choice is left out.
    took = 32 / 3 * last["eta_seconds"]
    assert training[0]["eta_seconds"] > last["eta_seconds"] > 0
    assert took == pytest.approx(len(training), rel=0.5)


def test_a_count_is_kept_instead_of_a_share(http: TestClient, world: World) -> None:
    loop = Loop(world)
    loop.answer(0, 12, Verdict.LABEL)
    job = pruned(http, loop, method="uniform", ratio=None, count=5)
    assert job.result is not None
    assert job.result["kept"] == 5


def test_another_choice_uses_the_warm_up_again(
    http: TestClient, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    trained: list[int] = []

    train = WarmUp.train

    def watched(self: WarmUp, progress: Progress | None = None) -> None:
        trained.append(self.seed)
        train(self, progress)

    monkeypatch.setattr(WarmUp, "train", watched)
    loop = Loop(world)
    loop.answer(0, 10, Verdict.LABEL)
    first = pruned(http, loop, method="prune4rel", ratio=0.5)
    again = pruned(http, loop, method="prune4rel", ratio=0.25, tau=0.9)
    assert len(trained) == 1
    assert first.result is not None
    assert again.result is not None
    note = f"Labels and training are those of job {first.id}, so its warm-up was used again"
    assert note not in " ".join(first.result["notes"])
    assert note in " ".join(again.result["notes"])
    # What is found is what a warm-up of its own would have led to.
    kept = world.storage.warm_up(loop.project.id)
    kept.write_bytes(b"not an archive")
    anew = pruned(http, loop, method="prune4rel", ratio=0.25, tau=0.9)
    assert len(trained) == 2
    tables = [pq.read_table(subset_of(loop, one)) for one in (again, anew)]
    assert tables[0].equals(tables[1])
    # Other training, and other labels.
    pruned(http, loop, method="prune4rel", epochs=3)
    assert len(trained) == 3
    loop.answer(0, 2, Verdict.LABEL)
    changed = pruned(http, loop, method="prune4rel", epochs=3)
    assert len(trained) == 4
    assert changed.result is not None
    assert changed.result["labeled"] == 12


def test_a_restart_keeps_the_warm_up_of_another_job_though_that_is_replaced(
    http: TestClient, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop = Loop(world)
    loop.answer(0, 12, Verdict.LABEL)
    first = pruned(http, loop)
    kept = world.storage.warm_up(loop.project.id)

    def killed(path: Path, arrays: Any) -> None:
        monkeypatch.undo()
        write_arrays(path, arrays)
        kept.unlink()
        raise RuntimeError

    monkeypatch.setattr(handler, "write_arrays", killed)
    job = pruned(http, loop, ratio=0.25)
    assert job.error is not None
    monkeypatch.setattr(WarmUp, "train", None)
    retry(http, loop, job)
    assert job.state is JobState.SUCCEEDED, job.error
    assert job.result is not None
    assert f"Labels and training are those of job {first.id}" in " ".join(job.result["notes"])


def test_what_an_earlier_version_began_ends_and_is_kept_for_nobody(
    http: TestClient, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    train = WarmUp.train

    def earlier(self: WarmUp, progress: Progress | None = None) -> None:
        train(self, progress)
        for file in self.work.rglob("margin-*.npy"):
            file.unlink()

    monkeypatch.setattr(WarmUp, "train", earlier)
    loop = Loop(world)
    loop.answer(0, 12, Verdict.LABEL)
    job = pruned(http, loop, method="small_loss")
    assert job.state is JobState.SUCCEEDED, job.error
    # A job that looks at margins makes its own.
    assert not world.storage.warm_up(loop.project.id).exists()


def test_an_estimate_knows_that_the_warm_up_is_there(http: TestClient, world: World) -> None:
    loop = Loop(world)
    loop.answer(0, 12, Verdict.LABEL)
    for method in ("prune4rel", "prune4rel_greedy"):
        first = pruned(http, loop, method=method)
        params = QUICK | {"method": method, "tau": 0.9}
        job = done_job(http, world, loop.project, "prune", params, dry_run=True)
        assert job.state is JobState.SUCCEEDED, job.error
        assert job.result is not None
        estimate = job.result["estimate"]
        assert estimate["phases"]["warm_up"] == 0
        assert estimate["phases"]["prune"] > 0
        rest = sum(estimate["phases"].values())
        assert estimate["seconds"] == pytest.approx(rest, abs=0.1)
    assert first.result is not None
    assert "used again" in estimate["notes"][-1]


def test_a_class_with_one_label_is_said(http: TestClient, world: World) -> None:
    loop = Loop(world)
    loop.answer(0, 12, Verdict.LABEL)
    cat, dog = (one.id for one in loop.classes)
    said = select(Annotation).where(
        Annotation.project_id == loop.project.id, Annotation.class_id == dog
    )
    for annotation in loop.session.scalars(said).all()[1:]:
        annotation.label = stored_class(cat)
    loop.session.commit()
    job = pruned(http, loop, method="uniform")
    assert job.result is not None, job.error
    assert job.result["notes"][0].startswith("A single image is labeled with")
    assert "dog" in job.result["notes"][0]


@pytest.mark.parametrize("killed", [False, True])
def test_a_retry_trains_a_warm_up_that_went_astray_again(
    http: TestClient, world: World, monkeypatch: pytest.MonkeyPatch, killed: bool
) -> None:
    begun: list[bool] = []
    looked: list[PruningView] = []
    train, look = WarmUp.train, WarmUp.look

    def watched(self: WarmUp, progress: Progress | None = None) -> None:
        begun.append(self.work.exists())
        train(self, progress)

    def astray(self: WarmUp, progress: Progress | None = None) -> PruningView:
        view = look(self, progress)
        if not looked:
            view.given("embeddings")[3] = np.nan
        looked.append(view)
        return view

    def die(*_: Any) -> None:
        raise RuntimeError

    monkeypatch.setattr(WarmUp, "train", watched)
    monkeypatch.setattr(WarmUp, "look", astray)
    loop = Loop(world)
    loop.answer(0, 12, Verdict.LABEL)
    with monkeypatch.context() as patch:
        if killed:
            patch.setattr(JobContext, "forget", die)
        job = pruned(http, loop)
    assert job.error is not None
    assert killed or "embeddings are not all finite. Retry" in job.error["detail"]
    retry(http, loop, job)
    assert job.state is JobState.SUCCEEDED, job.error
    # Nothing of the first warm-up was taken up, unless the worker died before it said so.
    assert begun == ([False] if killed else [False, False])


def test_rounds_train_without_what_the_subset_drops_until_it_is_taken_back(
    http: TestClient, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    trained: list[set[int]] = []

    def watched(store: Any, indices: Any, labels: Any, **options: Any) -> Any:
        trained.append(set(indices.tolist()))
        return train_target(store, indices, labels, **options)

    monkeypatch.setattr("models.tasks.classification.train_target", watched)
    loop = Loop(world)
    loop.answer(0, 8, Verdict.LABEL)
    job = pruned(http, loop, method="uniform")
    rows = pq.read_table(subset_of(loop, job)).to_pylist()
    dropped = {row["pool_index"] for row in rows if row["rank"] is None}
    assert len(dropped) == 4
    assert job.result is not None
    assert put(http, loop, job.result["subset_id"]).status_code == 200
    loop.world.session.expire_all()
    loop.finish(0)
    assert len(trained) == 1
    first = loop.rounds()[0]
    statement = select(Example.pool_index).where(
        Example.project_id == loop.project.id, Example.state == ExampleState.LABELED
    )
    labeled = set(loop.session.scalars(statement))
    assert trained[0] == labeled - dropped
    assert "Trained without 4 labels that the subset drops." in first.notes
    # Nothing was deleted: without the subset the same labels count again.
    assert put(http, loop, None).status_code == 200
    loop.advance(1, 8, Verdict.LABEL)
    assert trained[1] >= labeled


def test_a_label_that_was_judged_anew_is_dropped_no_longer(http: TestClient, world: World) -> None:
    loop = Loop(world)
    loop.answer(0, 8, Verdict.LABEL)
    first, second = (one.id for one in world.classes(loop.project)[:2])
    before = take(loop.session, loop.project.id, 0)
    job = pruned(http, loop, method="uniform")
    subset = subset_of(loop, job)
    reviewer = world.caller().user.id
    dropped = dropped_by(subset, before).tolist()
    rows = {row["pool_index"]: row for row in pq.read_table(subset).to_pylist()}
    assert dropped == sorted(index for index, row in rows.items() if row["rank"] is None)

    def review(index: int, class_id: int) -> Snapshot:
        """What is known after a reviewer has called an image of this class."""
        loop.session.add(
            Annotation(
                project_id=loop.project.id, example_id=rows[index]["example_id"],
                source=Source.REVIEW, annotator_id=reviewer, verdict=Verdict.LABEL,
                client_key=func.gen_random_uuid(),
                label=stored_class(class_id), seconds=0.0, cost=0.0, counted=True,
            )
        )  # fmt: skip
        loop.session.commit()
        return take(loop.session, loop.project.id, 0)

    given = rows[dropped[0]]["class_id"]
    corrected = review(dropped[0], first if given == second else second)
    assert dropped_by(subset, corrected).tolist() == dropped[1:]
    confirmed = review(dropped[1], rows[dropped[1]]["class_id"])
    assert dropped_by(subset, confirmed).tolist() == dropped[2:]
    # A subset of later knows the reviewer's labels as they are, and may drop them.
    later = subset_of(loop, pruned(http, loop, method="uniform"))
    gone = {row["pool_index"] for row in pq.read_table(later).to_pylist() if row["rank"] is None}
    assert gone & set(dropped[:2])
    assert set(dropped_by(later, confirmed).tolist()) == gone


def test_a_subset_has_to_be_one_of_the_project(http: TestClient, world: World) -> None:
    loop, other = Loop(world), Loop(world)
    loop.answer(0, 8, Verdict.LABEL)
    job = pruned(http, loop, method="uniform")
    assert job.result is not None
    for subset in (job.result["subset_id"], 999_999):
        response = put(http, other, subset)
        assert response.status_code == 400
        assert response.json()["code"] == "unknown_subset"
        assert response.json()["field"] == "settings.subset"
    body = {"name": "New", "classes": [], "settings": {"subset": job.result["subset_id"]}}
    created = http.post("/api/projects", json=body, headers=world.caller().headers)
    assert (created.status_code, created.json()["code"]) == (400, "unknown_subset")
    assert http.get("/api/projects", headers=world.caller().headers).status_code == 200


# A dozen workers start one after the other, each for some seconds.
@pytest.mark.timeout(900)
def test_a_worker_killed_in_every_phase_keeps_the_same(
    http: TestClient, world: World, tmp_path: Path
) -> None:
    loop, other = Loop(world), Loop(world)
    for one in (loop, other):
        one.answer(0, 10, Verdict.LABEL)
    victim = start(http, loop, method="prune4rel")
    message = RunJob.of(victim)
    kill_in_every_phase(world, victim, message, named(PHASES), tmp_path / "worker.log")
    kill_publishing(world, victim, message, tmp_path / "worker.log")
    kept = select(Artifact.id).where(Artifact.job_id == victim.id)
    assert loop.session.scalars(kept).all() == []
    kill_ending(world, victim, message, tmp_path / "worker.log")
    (subset,) = loop.session.scalars(kept).all()
    unharmed = start(http, other, method="prune4rel")
    with worker("gpu", tmp_path / "worker.log"):
        queue.send(message)
        for job in (victim, unharmed):
            eventually(lambda job=job: state(world, job) is JobState.SUCCEEDED, "the job ends")  # type: ignore[misc]
    assert loop.session.scalars(kept).all() == [subset]
    assert victim.result is not None
    assert victim.result["subset_id"] == subset
    tables = [
        pq.read_table(subset_of(one, job)).drop_columns(["example_id", "class_id"])
        for one, job in ((loop, victim), (other, unharmed))
    ]
    assert tables[0].equals(tables[1])
    assert np.isfinite(tables[0]["loss"].to_numpy()).all()
