"""What an import leaves in the database, on disk and in its report."""

import csv
import hashlib
import io
import tracemalloc

import numpy as np
import pytest
from PIL import Image
from sqlalchemy import select

from core.files.storage import sha256
from core.lifecycle import requeue_job
from core.states import ExampleState, JobState, Split
from core.tables import Artifact, ProjectClass
from models.media.images.store import PixelStore, fit_image
from tests.workers.import_files import Pool, jpeg, png, reasons, zipped
from tests.world import World
from workers.jobs.context import JobContext


def test_stores_bytes_pixels_and_rows(pool: Pool) -> None:
    files = {f"{seed}.jpg": jpeg(seed) for seed in range(5)}
    result = pool.zip(files)
    assert result == {
        "total": 5,
        "added": 5,
        "labeled": 0,
        "unchanged": 0,
        "empty": 0,
        "annotations": 0,
        "predicted": 0,
        "predictions": 0,
        "contradicting": 0,
        "noted": {},
        "left_out": 0,
        "left_out_by_reason": {},
        "duplicates": 0,
        "refused": 0,
        "by_split": {"pool": 5, "evaluation": 0, "auxiliary_ood": 0},
        "refused_examples": [],
        "refused_by_reason": {},
    }
    found = pool.examples()
    assert [one.pool_index for one in found] == [0, 1, 2, 3, 4]
    store = PixelStore.open(pool.storage.pixels(pool.project_id, 8, "crop"), 8, 5)
    for one, (name, content) in zip(found, files.items(), strict=True):
        assert (one.name, one.bytes, one.width, one.height) == (name, len(content), 40, 30)
        assert (one.split, one.state) == (Split.POOL, ExampleState.UNLABELED)
        assert one.media_type == "image/jpeg"
        assert one.content_hash == hashlib.sha256(content).digest()
        assert pool.storage.image(one.content_hash).read_bytes() == content
        expected = fit_image(Image.open(io.BytesIO(content)), 8)
        np.testing.assert_array_equal(store[[one.pool_index]][0], expected)


def test_counts_duplicates_and_adds_nothing_twice(pool: Pool) -> None:
    files = {"a.png": png(1), "b.png": png(2), "again.png": png(1)}
    job = pool.add(zipped(files.items()))
    assert job.result is not None
    assert (job.result["added"], job.result["duplicates"]) == (2, 1)
    assert (
        pool.report(job) == "name,outcome,reason\r\nagain.png,duplicate,same content as a.png\r\n"
    )
    pixels = pool.storage.pixels(pool.project_id, 8, "crop").read_bytes()
    repeated = pool.zip(files)
    assert (repeated["total"], repeated["added"], repeated["duplicates"]) == (3, 0, 3)
    more = pool.zip({"b.png": png(2), "c.png": png(3)})
    assert (more["added"], more["duplicates"]) == (1, 1)
    assert [(one.pool_index, one.name) for one in pool.examples()] == [
        (0, "a.png"),
        (1, "b.png"),
        (2, "c.png"),
    ]
    assert pool.storage.pixels(pool.project_id, 8, "crop").read_bytes().startswith(pixels)


def test_two_projects_may_hold_the_same_image(pool: Pool, world: World) -> None:
    other = Pool(pool.session, pool.storage, world.project(classes=("bird",)))
    assert pool.zip({"a.png": png(1)})["added"] == 1
    assert other.zip({"a.png": png(1)})["added"] == 1


def test_evaluation_images_need_a_class_of_the_project(pool: Pool) -> None:
    files = {
        "evaluation/cat/1.png": png(1),
        "evaluation/Cat/2.png": png(2),
        "evaluation/bird/3.png": png(3),
        "evaluation/4.png": png(4),
        "evaluation/ood/7.png": png(7),
        "pool/bird/5.png": png(5),
        "auxiliary_ood/6.png": png(6),
    }
    result = pool.zip(files)
    assert result["by_split"] == {"pool": 1, "evaluation": 2, "auxiliary_ood": 1}
    assert reasons(result) == {
        "evaluation/bird/3.png": "label 'bird' is not a class of the project",
        "evaluation/4.png": "an evaluation image needs a label",
        # Nobody is told to make a class of it.
        "evaluation/ood/7.png": (
            "label 'ood' names no class, and only classes measure accuracy: put it in the pool"
        ),
    }
    assert result["notes"] == ["'Cat' is read as the class 'cat'."]
    labeled, alike, pooled, auxiliary = pool.examples()
    cat = select(ProjectClass.id).where(
        ProjectClass.project_id == pool.project_id, ProjectClass.name == "cat"
    )
    assert labeled.label_class_id == alike.label_class_id == pool.session.scalar(cat)
    assert (pooled.label_class_id, pooled.meta) == (None, {"label": "bird"})
    assert (auxiliary.label_class_id, auxiliary.meta) == (None, {})


def test_the_default_split_is_the_requested_one(pool: Pool) -> None:
    result = pool.zip({"cat/1.png": png(1), "dog/2.png": png(2)}, split=Split.EVALUATION)
    assert result["by_split"] == {"pool": 0, "evaluation": 2, "auxiliary_ood": 0}


@pytest.mark.parametrize(("content", "added"), [(png(1), 1), (b"text", 0)])
def test_takes_a_single_image(pool: Pool, content: bytes, added: int) -> None:
    job = pool.add(content, "photo.png")
    assert job.result is not None
    assert (job.result["total"], job.result["added"]) == (1, added)
    assert [one.name for one in pool.examples()] == ["photo.png"] * added


def test_the_report_lists_every_refusal_and_is_an_artifact(pool: Pool) -> None:
    names = [f'bad "{index}", not good.png' for index in range(150)]
    job = pool.add(zipped([*((name, b"text") for name in names), ("good.png", png(1))]))
    assert job.result is not None
    assert len(job.result["refused_examples"]) == 100
    assert list(job.result["refused_by_reason"].values()) == [job.result["refused"]]
    rows = list(csv.DictReader(io.StringIO(pool.report(job))))
    assert [row["name"] for row in rows] == names
    assert {row["outcome"] for row in rows} == {"refused"}
    artifact = pool.session.scalars(select(Artifact).where(Artifact.job_id == job.id)).one()
    path = pool.storage.artifact(artifact.storage_key)
    assert (artifact.sha256, artifact.bytes) == (sha256(path), path.stat().st_size)


def test_refusals_are_counted_by_reason_and_the_many_reasons_of_a_wrong_label_are_not_kept(
    pool: Pool,
) -> None:
    labeled = {f"class-{n}/{n}.png": png(n) for n in range(25)}
    result = pool.zip(labeled | {f"cat/{n}.png": b"text" for n in range(3)}, split=Split.EVALUATION)
    reasons = result["refused_by_reason"]
    assert sum(reasons.values()) == result["refused"] == 28
    assert len(reasons) == 21
    assert reasons["other reasons"] > 1


def test_success_removes_the_upload_and_the_work(pool: Pool) -> None:
    job = pool.add(zipped([("1.png", png(1))]))
    assert job.state is JobState.SUCCEEDED
    assert not pool.storage.upload(job.params["upload"]).exists()
    assert not pool.storage.work(job.id).exists()


def test_an_upload_that_is_gone_is_said_to_be_gone(pool: Pool) -> None:
    job = pool.queue(b"")
    pool.storage.upload(job.params["upload"]).unlink()
    pool.run(job)
    assert job.error is not None
    assert job.error["code"] == "upload_missing"


def test_memory_does_not_grow_with_the_upload(pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    # pathlib interns parts of paths. Python's own table of such strings is made anew now and then,
    # megabytes at once, whoever it falls upon.
    monkeypatch.setattr("sys.intern", str)

    def peak(first: int, n: int) -> int:
        job = pool.queue(zipped((f"{seed}.png", png(seed)) for seed in range(first, first + n)))
        tracemalloc.start()
        pool.run(job)
        _, found = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert job.result is not None, job.error
        assert job.result["added"] == n
        return found

    peak(0, 20)
    small, large = peak(1000, 600), peak(2000, 2400)
    assert large < 1.25 * small


def test_a_cancelled_import_keeps_what_it_added_and_goes_on_when_retried(pool: Pool) -> None:
    files = [(f"{seed}.png", png(seed)) for seed in range(1200)]
    job = pool.queue(zipped(files))
    checked = 0

    class CancelsInTheMiddle(JobContext):
        def check(self) -> None:
            nonlocal checked
            checked += 1
            if checked == 4:
                self._cancelled.set()
            super().check()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("workers.execution.claiming.JobContext", CancelsInTheMiddle)
        pool.run(job)
    assert job.state is JobState.CANCELLED
    kept = len(pool.examples())
    assert 0 < kept < 1200
    requeue_job(job)
    pool.session.commit()
    pool.run(job)
    assert job.result is not None, job.error
    assert (job.result["total"], job.result["added"]) == (1200, 1200)
    assert [one.name for one in pool.examples()] == [name for name, _ in files]
