"""Imports that are killed at any instant, and what a second attempt makes of them."""

import time
from typing import Any

import pytest
from sqlalchemy import select

from core.errors import Conflict
from core.jobs.messages import RunJob
from core.lifecycle import new_job, requeue_job
from core.states import ExampleState, JobKind, JobState
from core.tables import Annotation, Artifact, Example, Job, ProjectClass
from tests.workers.box_files import BoxPool
from tests.workers.import_files import Pool, jpeg, parquet_of, png, zipped
from tests.workers.killing import ended_by_kill, victim
from tests.world import World
from workers.execution.handlers import WORK_VERSIONS
from workers.imports import batch
from workers.imports.handler import Import
from workers.imports.report import Tally
from workers.jobs.context import WORK_VERSION

BATCH = 128
"""How many rows are written at once."""
N = 325
LABELED = 175
"""How many images a table of so many rows is about."""
PLACES = {
    "choice": "workers.imports.media.image:ImageMedium.begin",
    "files": "workers.imports.pool:PoolWriter.write_files",
    "report": "workers.imports.report:ReportFile.append",
    "rows": "workers.imports.pool:PoolWriter.add_rows",
    "labels": "workers.imports.labels:LabelWriter.write",
    "commit": "workers.imports.pool:PoolWriter.advance",
    "publish": "workers.imports.report:ReportFile.publish",
    "cleanup": "workers.imports.handler:shutil.rmtree",
    "end": "workers.execution.runner:finish_job",
}
"""Functions at whose calls a worker dies."""
CONSTANTS = {"workers.imports.batch:_MOST_ITEMS": BATCH}


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Imports that nobody kills write as many at once as those that are killed."""
    monkeypatch.setattr(batch, "_MOST_ITEMS", BATCH)


def upload(images: int = N) -> bytes:
    """Three batches, or more, with additions, duplicates and refusals in each."""
    files = []
    for index in range(images):
        content = png(index)
        if index % 50 == 7:
            content = png(index - 7)
        elif index % 60 == 11:
            content = jpeg(index)[:300]
        files.append((f"{'evaluation/cat' if index % 9 == 4 else 'pool/x'}/{index}.png", content))
    return zipped(files)


def table() -> bytes:
    """Three batches of what two columns say of images that are there, some of them twice."""
    lines = ["file,crowd,expert"]
    for index in range(N):
        name = f"{'no' if index % 60 == 11 else index % LABELED}.png"
        # The second time one column says the same again, and the other now and then another class;
        # both are kept.
        image = index % LABELED
        other = image + (index >= LABELED and index % 4 == 0)
        expert = ("ood", "", "cat", "dog", "unsure")[other % 5]
        lines.append(f"{name},{('cat', 'dog')[image % 2]},{expert}")
    return "\n".join(lines).encode()


def labeled_images() -> bytes:
    """Three batches of images that bring what two columns say of them, some of them twice."""
    rows = [
        {
            "image": png(index - 151 if index > 151 and index % 50 == 7 else index),
            "file": f"{index}.png",
            "crowd": ("cat", "dog", "ood")[index % 3],
            "expert": (None, "dog", "skip", "cat", "horse")[index % 5],
        }
        for index in range(N)
    ]
    return parquet_of(rows, 50)


def annotations(pool: Pool) -> list[tuple[Any, ...]]:
    """Image, column, verdict, class, and the place of what it corrects, of every annotation."""
    statement = (
        select(Annotation, Example.name, ProjectClass.name)
        .join(Example, Example.id == Annotation.example_id)
        .join(ProjectClass, ProjectClass.id == Annotation.class_id, isouter=True)
        .where(Annotation.project_id == pool.project_id)
        .order_by(Annotation.id)
    )
    rows = pool.session.execute(statement).all()
    place = {row.id: number for number, (row, _, _) in enumerate(rows)}
    return [
        (image, row.source_name, row.verdict, class_name, place.get(row.supersedes_id or 0))
        for row, image, class_name in rows
    ]


def outcome(pool: Pool, job: Job) -> dict[str, Any]:
    """All that an import leaves behind."""
    artifacts = select(Artifact).where(Artifact.job_id == job.id)
    return {
        "result": job.result,
        "examples": [
            [
                (one.pool_index, one.content_hash, one.name, one.split, one.meta),
                (one.width, one.height, one.media_type, one.bytes),
                one.label_class_id is None,
                one.state,
                pool.storage.image(one.content_hash).is_file(),
            ]
            for one in pool.examples()
        ],
        "annotations": annotations(pool),
        "pixels": pool.storage.pixels(pool.project_id, 8, "crop").read_bytes(),
        "report": pool.report(job),
        "artifacts": len(pool.session.scalars(artifacts).all()),
        "left": [
            pool.storage.work(job.id).exists(),
            pool.storage.upload(job.params["upload"]).exists(),
        ],
    }


def kill(pool: Pool, job: Job, kills: list[tuple[str, str, int]]) -> None:
    """Let one worker after the other die in the middle of ``job``."""
    for attempt, (place, moment, count) in enumerate(kills, 1):
        _expire(pool, job)
        child = victim(RunJob.of(job), PLACES[place], moment, count, CONSTANTS)
        assert ended_by_kill(child), (place, moment)
        pool.session.expire_all()
        assert (job.state, job.attempt) == (JobState.RUNNING, attempt)


def run_until_done(pool: Pool, job: Job) -> Job:
    """Send the job again and again, as the sweeper does, until its dead worker is given up."""
    deadline = time.monotonic() + 60
    while pool.run(job).state is JobState.RUNNING:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    return job


def unharmed(world: World, images: int) -> dict[str, Any]:
    """What an import of so many images leaves that nobody kills."""
    pool = Pool(world.session, world.storage, world.project())
    return outcome(pool, pool.add(upload(images)))


@pytest.fixture
def expected(world: World) -> dict[str, Any]:
    """What an import leaves that nobody kills."""
    found = unharmed(world, N)
    assert found["result"]["total"] == N
    assert found["result"]["duplicates"] > 5
    assert found["result"]["refused"] > 5
    return found


@pytest.mark.parametrize(
    "kills",
    [
        [("rows", "after", 1), ("report", "after", 3), ("publish", "after", 1)],
        [("commit", "after", 1), ("cleanup", "before", 1), ("end", "before", 1)],
        pytest.param(
            [("files", "before", 1), ("files", "after", 1), ("commit", "before", 2)],
            marks=pytest.mark.long,
        ),
        pytest.param(
            [("rows", "before", 2), ("publish", "before", 1), ("cleanup", "after", 1)],
            marks=pytest.mark.long,
        ),
    ],
)
def test_killed_at_every_step_it_resumes_to_the_same(
    pool: Pool, expected: dict[str, Any], kills: list[tuple[str, str, int]]
) -> None:
    job = pool.queue(upload())
    kill(pool, job, kills)
    run_until_done(pool, job)
    assert outcome(pool, job) == expected


@pytest.mark.parametrize(
    ("images", "filename", "refused"),
    [(LABELED, "labels.csv", 6), (0, "labeled.parquet", 0)],
    ids=["of images that are there", "with their images"],
)
def test_killed_among_labels_it_resumes_and_each_is_there_once(
    world: World, images: int, filename: str, refused: int
) -> None:
    whole, pool = (Pool(world.session, world.storage, world.project(images=images)) for _ in "ab")
    content = table() if images else labeled_images()
    columns = ("crowd", "expert")
    expected = outcome(whole, whole.add(content, filename, annotations=columns))
    said = expected["annotations"]
    assert len(said) > N
    assert expected["result"]["annotations"] == len(said)
    assert expected["result"]["refused"] == refused
    assert expected["result"]["contradicting"] > 3
    # Each is there once, also of those that contradict each other.
    assert len(said) == len({one[:4] for one in said})
    job = pool.queue(content, filename, annotations=columns)
    # While the first batch is written, when the second is not yet committed, and when it is.
    kills = [("labels", "after", 1), ("labels", "after", 2), ("commit", "before", 1)]
    kill(pool, job, [*kills, ("end", "before", 1)])
    run_until_done(pool, job)
    assert outcome(pool, job) == expected


@pytest.mark.parametrize("order", ["as they came", "by image"])
@pytest.mark.parametrize("earlier", [LABELED, N], ids=["in part", "all of it"])
def test_killed_among_labels_that_an_earlier_import_said_it_resumes_to_the_same(
    world: World, earlier: int, order: str
) -> None:
    """Saying again what is known writes no row; all the same it is not corrected later."""
    columns = ("crowd", "expert")
    header, *rows = table().split(b"\n")
    first = b"\n".join([header, *rows[:earlier]])
    if order == "by image":
        rows.sort()
    whole, pool = (Pool(world.session, world.storage, world.project(images=LABELED)) for _ in "ab")
    for one in (whole, pool):
        assert one.add(first, "labels.csv", annotations=columns).state is JobState.SUCCEEDED
    content = b"\n".join([header, *rows])
    expected = outcome(whole, whole.add(content, "labels.csv", annotations=columns))
    assert expected["result"]["contradicting"] > 3
    job = pool.queue(content, "labels.csv", annotations=columns)
    kills = [("labels", "after", 1), ("labels", "after", 2), ("commit", "before", 1)]
    kill(pool, job, [*kills, ("end", "before", 1)])
    run_until_done(pool, job)
    assert outcome(pool, job) == expected


def test_killed_at_any_time_it_resumes_to_the_same(world: World, pool: Pool) -> None:
    # So many that neither kill comes when all is done.
    expected = unharmed(world, 1300)
    job = pool.queue(upload(1300))
    for seconds in (0.05, 0.2):
        _expire(pool, job)
        child = victim(RunJob.of(job), PLACES["end"], "before", 1, CONSTANTS)
        attempt = job.attempt
        while job.attempt == attempt:
            time.sleep(0.01)
            pool.session.expire_all()
        time.sleep(seconds)
        child.kill()
        child.wait()
    run_until_done(pool, job)
    assert outcome(pool, job) == expected


def _expire(pool: Pool, job: Job) -> None:
    """Let the job's dead worker have been silent for long, instead of waiting."""
    pool.session.expire_all()
    job.heartbeat_at = None
    pool.session.commit()


def test_a_pool_is_taken_over_whole_though_some_of_it_is_held_out_meanwhile(
    boxes: BoxPool, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = world.project(images=10, evaluation=1)
    first = select(Example).where(Example.project_id == source.id, Example.pool_index < 3)
    params = {"filename": source.name, "project": source.id}
    job = new_job(JobKind.IMPORT_POOL, project_id=boxes.project_id, params=params)
    world.session.add(job)
    world.session.commit()
    add = Import.add

    def stop_after_one(task: Import, *given: Any) -> None:
        add(task, *given)
        for example in world.session.scalars(first):
            example.state = ExampleState.HELD_OUT
        world.session.commit()
        raise Conflict("stopped", "The worker is needed elsewhere.")

    with monkeypatch.context() as short:
        short.setattr(batch, "_MOST_ITEMS", 5)
        short.setattr(Import, "add", stop_after_one)
        assert boxes.run(job).state is JobState.FAILED
    requeue_job(job)
    world.session.commit()
    assert boxes.run(job).state is JobState.SUCCEEDED, job.error
    assert [one.name for one in boxes.examples()] == [f"{number}.png" for number in range(10)]
    assert job.result is not None
    assert job.result["left_out_by_reason"] == {f"for evaluation in project {source.name}": 1}
    # Another import finds them held out, and says so.
    again = new_job(JobKind.IMPORT_POOL, project_id=boxes.project_id, params=params)
    world.session.add(again)
    world.session.commit()
    boxes.run(again)
    assert again.result is not None
    assert again.result["left_out_by_reason"][f"held out in project {source.name}"] == 3


@pytest.mark.parametrize(
    "noted", [{}, {WORK_VERSION: WORK_VERSIONS[JobKind.IMPORT_POOL], "last": "3.txt"}]
)
def test_an_import_that_was_counted_by_other_rules_leaves_nothing_out(
    pool: Pool, noted: dict[str, Any]
) -> None:
    """An earlier version counted texts beside images, too, and had come to the third pair."""
    files = [
        (f"{number}.{suffix}", content)
        for number in range(1, 7)
        for suffix, content in (("jpg", jpeg(number)), ("txt", b"a cat"))
    ]
    pool.add(zipped(files[:6]))
    job = pool.queue(zipped(files))
    tally = Tally(total=6, added=3, refused=3).to_json()
    job.attempt, job.checkpoint = 1, {"tally": tally, "report_end": 0, **noted}
    pool.session.commit()
    assert pool.run(job).state is JobState.SUCCEEDED, job.error
    assert [one.name for one in pool.examples()] == [f"{number}.jpg" for number in range(1, 7)]
    assert job.result is not None
    counted = [job.result[name] for name in ("total", "added", "duplicates")]
    assert counted == [6, 3, 3]
