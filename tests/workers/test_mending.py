"""Files that were lost or damaged are made again, or named, before a job reads them."""

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file
from sqlalchemy import delete, event

from core.artifacts.features import captioned_file
from core.jobs.messages import RunJob
from core.lifecycle import new_job
from core.settings import settings
from core.states import JobKind, JobState
from core.tables import ExampleText
from models.errors import Cancelled, TextsLost
from models.media.images.store import PixelStore
from models.media.texts.store import TextStore
from tests.workers.import_files import Pool, encoded, picture, zipped
from tests.world import World
from workers.embedding_map import handler as embedding_map
from workers.execution.claiming import claim
from workers.execution.mending import discard_damaged, mend
from workers.execution.runner import run_job
from workers.imports.media.text_store import LOCK
from workers.jobs.context import JobContext, sessions
from workers.jobs.locks import turn

N = 12
SIZE = 8


def upload(*numbers: int) -> bytes:
    return zipped([(f"{one:02}.png", encoded(picture(one, 20, 30))) for one in numbers])


def pixels(pool: Pool, count: int) -> Any:
    return PixelStore.open(pool.storage.pixels(pool.project_id, SIZE, "crop"), SIZE, count)[:]


@pytest.mark.parametrize("left", [None, 0, 5 * SIZE * SIZE * 3 + 1])
def test_pixels_that_are_lost_are_made_again_before_others_come(
    pool: Pool, left: int | None
) -> None:
    pool.add(upload(*range(N)))
    before = pixels(pool, N)
    path = pool.storage.pixels(pool.project_id, SIZE, "crop")
    if left is None:
        path.unlink()
    else:
        path.write_bytes(path.read_bytes()[:left])
    job = pool.add(upload(N))
    assert job.state is JobState.SUCCEEDED, job.error
    now = pixels(pool, N + 1)
    np.testing.assert_array_equal(now[:N], before)
    assert now[N].any()
    said = pool.storage.job_log(pool.project_id, job.id).read_text()
    assert "have lost their pixels" in said


def test_only_originals_whose_pixels_are_lost_are_needed(pool: Pool) -> None:
    pool.add(upload(*range(N)))
    before = pixels(pool, N)
    for example in pool.examples()[:5]:
        pool.storage.image(example.content_hash).unlink()
    path = pool.storage.pixels(pool.project_id, SIZE, "crop")
    path.write_bytes(path.read_bytes()[: 5 * SIZE * SIZE * 3])
    seen_by_words = captioned_file(pool.storage, pool.project_id, "a" * 64, SIZE)
    seen_by_words.parent.mkdir(parents=True)
    seen_by_words.write_bytes(b"garbage")
    job = pool.add(upload(N))
    assert job.state is JobState.SUCCEEDED, job.error
    np.testing.assert_array_equal(pixels(pool, N + 1)[:N], before)
    assert not seen_by_words.exists()


@pytest.mark.usefixtures("installation")
def test_texts_are_made_again_by_one_job_at_a_time(world: World) -> None:
    contents = ["where is it", "it came broken"]
    project = world.texts(contents)
    job = new_job(JobKind.EMBEDDING_MAP, project_id=project.id, params={})
    world.session.add(job)
    world.session.commit()
    waiting = claim(RunJob.of(job))
    assert waiting is not None
    folder = world.storage.texts(project.id)
    with turn(sessions(), LOCK, project.id) as is_mine:
        assert is_mine()
        waiting.cancel()
        with pytest.raises(Cancelled):
            mend(waiting)
        assert not folder.exists()
    mend(JobContext(job, settings()))
    assert TextStore.open(folder, 2)[:] == contents
    # A look at what is whole waits for nobody.
    with turn(sessions(), LOCK, project.id) as is_mine:
        assert is_mine()
        mend(waiting)


def taken_up(pool: Pool) -> JobContext:
    job = new_job(JobKind.EMBEDDING_MAP, project_id=pool.project_id, params={})
    pool.session.add(job)
    pool.session.commit()
    return JobContext(job, settings())


def lose_text(pool: Pool, index: int) -> None:
    """Take what one text says out of the database."""
    example = pool.examples()[index]
    pool.session.execute(delete(ExampleText).where(ExampleText.example_id == example.id))
    pool.session.commit()


def test_a_text_that_is_lost_fails_who_reads_it_until_it_is_imported_again(texts: Pool) -> None:
    contents = [f"the text with the number {one}" for one in range(9)]
    rows = "".join(f'{{"text": "{one}"}}\n' for one in contents).encode()
    assert texts.add(rows, "texts.jsonl").state is JobState.SUCCEEDED
    lose_text(texts, 3)
    folder = texts.storage.texts(texts.project_id)
    # What the store has is not lost.
    assert mend(taken_up(texts)) is None
    assert texts.stored() == contents
    shutil.rmtree(folder)
    unmended = mend(taken_up(texts))
    assert unmended is not None
    assert unmended.code == "texts_gone"
    assert f"what they say: {texts.examples()[3].name}." in unmended.detail
    assert "Import the same texts again" in unmended.detail
    store = TextStore.open(folder, 9)
    assert store.gaps.tolist() == [3]
    assert store[[0, 1, 2, 4, 5, 6, 7, 8]] == contents[:3] + contents[4:]
    with pytest.raises(TextsLost):
        store[:]
    # Another import of the project works, and one of the same texts puts it back.
    others = texts.add(b'{"text": "another one"}\n', "others.jsonl")
    assert others.state is JobState.SUCCEEDED, others.error
    assert texts.add(rows, "texts.jsonl").state is JobState.SUCCEEDED
    assert texts.contents() == [*contents, "another one"]
    assert mend(taken_up(texts)) is None
    assert texts.stored() == [*contents, "another one"]
    # Who had opened it reads on what was there.
    assert store[[4]] == [contents[4]]


@pytest.mark.parametrize("loses", [False, True])
def test_of_a_store_that_is_not_behind_offsets_and_rows_are_read_once(
    texts: Pool, monkeypatch: pytest.MonkeyPatch, loses: bool
) -> None:
    contents = [f"the text with the number {one}" for one in range(6)]
    texts.add("".join(f'{{"text": "{one}"}}\n' for one in contents).encode(), "texts.jsonl")
    if loses:
        lose_text(texts, 2)
        shutil.rmtree(texts.storage.texts(texts.project_id))
        mend(taken_up(texts))
    context, seen = taken_up(texts), list[str]()
    read = np.fromfile

    def reading(path: Path, *arguments: Any, **options: Any) -> Any:
        seen.append(Path(path).name)
        return read(path, *arguments, **options)

    def asked(*arguments: Any) -> None:
        if "max(examples.pool_index)" in arguments[2]:
            seen.append("count")

    monkeypatch.setattr(np, "fromfile", reading)
    engine = sessions().kw["bind"]
    event.listen(engine, "before_cursor_execute", asked)
    try:
        assert (mend(context) is not None) is loses
    finally:
        event.remove(engine, "before_cursor_execute", asked)
    assert sorted(seen) == ["count", "offsets.i64"]


def test_a_text_that_only_the_store_has_stays_in_it(texts: Pool) -> None:
    contents = [f"the text with the number {one}" for one in range(6)]
    texts.add("".join(f'{{"text": "{one}"}}\n' for one in contents).encode(), "texts.jsonl")
    lose_text(texts, 1)
    offsets = texts.storage.texts(texts.project_id) / "offsets.i64"
    offsets.write_bytes(offsets.read_bytes()[: 8 * 5])
    assert mend(taken_up(texts)) is None
    assert texts.stored() == contents


def test_a_job_that_reads_a_lost_text_names_it(texts: Pool) -> None:
    contents = [f"the text with the number {one}" for one in range(6)]
    texts.add("".join(f'{{"text": "{one}"}}\n' for one in contents).encode(), "texts.jsonl")
    lose_text(texts, 2)
    shutil.rmtree(texts.storage.texts(texts.project_id))
    job = new_job(JobKind.EMBEDDING_MAP, project_id=texts.project_id, params={})
    texts.session.add(job)
    texts.session.commit()
    run_job(RunJob.of(job), embedding_map)
    texts.session.refresh(job)
    assert job.state is JobState.FAILED
    assert job.error is not None
    assert job.error["code"] == "texts_gone"
    assert texts.examples()[2].name in job.error["detail"]


def test_pixels_come_back_as_far_as_the_originals_are_there(pool: Pool) -> None:
    pool.add(upload(*range(N)))
    before = pixels(pool, N)
    path = pool.storage.pixels(pool.project_id, SIZE, "crop")
    path.write_bytes(path.read_bytes()[: 3 * SIZE * SIZE * 3])
    gone = next(one for one in pool.examples() if one.pool_index == 7)
    pool.storage.image(gone.content_hash).unlink()
    unmended = mend(taken_up(pool))
    assert unmended is not None
    assert unmended.code == "originals_gone"
    assert gone.name in unmended.detail
    assert PixelStore.held(path, SIZE) == 7
    np.testing.assert_array_equal(pixels(pool, 7), before[:7])


def test_without_originals_nothing_comes_after_a_gap_until_they_are_back(pool: Pool) -> None:
    pool.add(upload(*range(N)))
    before = pixels(pool, N)
    pool.storage.pixels(pool.project_id, SIZE, "crop").unlink()
    for path in (pool.storage.root / "images").glob("*/*"):
        path.unlink()
    refused = pool.add(upload(N))
    assert refused.state is JobState.FAILED
    assert refused.error is not None
    assert "Import those images again by themselves" in refused.error["detail"]
    # The originals come back, and with the next job the pixels.
    assert pool.add(upload(*range(N))).state is JobState.SUCCEEDED
    assert pool.add(upload(N)).state is JobState.SUCCEEDED
    np.testing.assert_array_equal(pixels(pool, N + 1)[:N], before)


def test_features_that_cannot_be_read_go_and_others_stay(tmp_path: Path) -> None:
    def embeddings(name: str, *, extractor: bool = True) -> Path:
        path = tmp_path / f"{name}.npy"
        np.save(path, np.ones((4, 2), np.float32))
        if extractor:
            save_file({"a": np.ones(2)}, path.with_suffix(".extractor.safetensors"))
        return path

    whole = embeddings("auto-0123456789abcdef")
    learned = embeddings("contrastive-7", extractor=False)
    short = embeddings("auto-1123456789abcdef")
    short.write_bytes(short.read_bytes()[:-1])
    garbage = embeddings("auto-2123456789abcdef")
    garbage.write_bytes(b"garbage")
    empty = embeddings("contrastive-8", extractor=False)
    empty.write_bytes(b"")
    alone = embeddings("auto-3123456789abcdef", extractor=False)
    unmade = embeddings("auto-4123456789abcdef")
    unmade.with_suffix(".extractor.safetensors").write_bytes(b"garbage")
    for path in (whole, learned, alone):
        for ending in ("short", "basis"):
            with path.with_suffix(f".4.{ending}").open("wb") as file:
                np.save(file, np.ones(3))
    learned.with_suffix(".4.basis").write_bytes(b"garbage")
    assert len(discard_damaged(tmp_path)) == 6
    assert sorted(tmp_path.glob("*.npy")) == sorted([whole, learned])
    # Screens would pass for those of other rows, and one half alone is not completed.
    screens = [whole.with_suffix(".4.basis"), whole.with_suffix(".4.short")]
    assert sorted([*tmp_path.glob("*.short"), *tmp_path.glob("*.basis")]) == screens
    # What has made them makes the same again.
    assert short.with_suffix(".extractor.safetensors").exists()
    assert not any(path.exists() for path in (garbage, empty, alone, unmade))
    assert discard_damaged(tmp_path) == []
    assert discard_damaged(tmp_path / "none") == []
