"""Images that stay in a bucket: what is read of them, what is kept, and what happens without."""

import gzip
import hashlib
import json
import lzma
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from core import settings
from core.files.object_stores import S3
from core.lifecycle import requeue_job
from core.media.images.thumbnails import LARGEST, thumbnail
from core.states import JobState, Split
from core.tables import Job
from models.media.images.store import PixelStore, fit_image
from tests.s3 import Bucket, out_of_reach
from tests.workers.import_files import (
    Pool,
    encoded,
    jpeg,
    jsonl,
    parquet_of,
    picture,
    png,
    reasons,
    zipped,
)
from workers.celery_tasks.sweep import sweep
from workers.imports import prefetch
from workers.imports.bucket import Listing
from workers.imports.sync.compare import LISTING


def result(job: Job) -> dict[str, Any]:
    assert job.result is not None, job.error
    return job.result


def test_reads_each_object_once_and_keeps_no_copy(bucket: Bucket, pool: Pool) -> None:
    files = {f"photos/2024/{seed}.jpg": jpeg(seed) for seed in range(3)}
    bucket.put({**files, "photos/readme.txt": b"hello", "elsewhere/9.jpg": jpeg(9)})
    found = result(pool.bucket(f"{bucket.url}/photos"))
    assert (found["total"], found["added"]) == (4, 3)
    assert reasons(found) == {
        "readme.txt": "not an image by its name; include a pattern of it to have it read"
    }
    store = PixelStore.open(pool.storage.pixels(pool.project_id, 8, "crop"), 8, 3)
    for one, (key, content) in zip(pool.examples(), files.items(), strict=True):
        assert one.name == key.removeprefix("photos/")
        assert one.location == f"{bucket.url}/{key}"
        assert one.content_hash == hashlib.sha256(content).digest()
        assert (one.bytes, one.width, one.height) == (len(content), 40, 30)
        expected = fit_image(picture(int(Path(key).stem), 40, 30), 8)
        assert np.abs(store[[one.pool_index]][0].astype(int) - expected).mean() < 20
        assert not pool.storage.image(one.content_hash).exists()
        with Image.open(thumbnail(pool.storage, one.content_hash, LARGEST)) as small:
            assert small.size == (40, 30)


def test_folders_and_metadata_mean_what_they_mean_in_a_zip(bucket: Bucket, pool: Pool) -> None:
    metadata = "file_name,worse_label,camera\npool/cat/2.png,dog,north\n"
    bucket.put(
        {
            "evaluation/cat/1.png": png(1),
            "pool/cat/2.png": png(2),
            "pool/.hidden.png": png(3),
            "metadata.csv": metadata.encode(),
        }
    )
    found = result(pool.bucket(bucket.url, annotations=["worse_label"]))
    assert found["by_split"] == {"pool": 1, "evaluation": 1, "auxiliary_ood": 0}
    assert found["annotations"] == 1
    labeled, pooled = pool.examples()
    assert labeled.split is Split.EVALUATION
    assert pooled.meta == {"camera": "north", "label": "cat"}


@pytest.mark.parametrize(
    ("name", "pack"),
    [("metadata.csv.gz", gzip.compress), ("Metadata.jsonl.XZ", lzma.compress)],
)
def test_compressed_metadata_is_read_as_if_it_was_not(
    bucket: Bucket, pool: Pool, name: str, pack: Callable[[bytes], bytes]
) -> None:
    rows = [{"file_name": f"{seed}.png", "label": "cat", "site": "A"} for seed in (1, 2)]
    write = WRITTEN["csv" if ".csv" in name else "jsonl"]
    others = {"other.csv.gz": pack(write(rows)), "b/metadata.csv.bz2": b"no bzip2"}
    bucket.put({"1.png": png(1), "2.png": png(2), name: pack(write(rows)), **others})
    plan = result(pool.bucket(bucket.url, dry_run=True))
    assert [one["format"] for one in plan["documents"]] == ["metadata", "metadata"]
    found = result(pool.bucket(bucket.url, annotations=["label"]))
    assert (found["added"], found["annotations"]) == (2, 2)
    assert {one.meta["site"] for one in pool.examples()} == {"A"}
    said = reasons(found)
    assert "not an image by its name" in said["other.csv.gz"]
    assert "not a whole .bz2 file" in said["b/metadata.csv"]
    assert len(said) == 2


def test_compressed_metadata_beside_the_same_plain_is_named(bucket: Bucket, pool: Pool) -> None:
    rows = _csv([{"file_name": "1.png", "label": "cat"}])
    bucket.put({"1.png": png(1), "metadata.csv": rows, "metadata.csv.gz": gzip.compress(rows)})
    found = result(pool.bucket(bucket.url, annotations=["label"], include=["*.png"]))
    assert (found["added"], found["annotations"]) == (1, 1)
    assert [*reasons(found)] == ["metadata.csv.gz"]


def test_patterns_choose_what_is_read(bucket: Bucket, pool: Pool) -> None:
    bucket.put({"a/1.png": png(1), "a/2.raw": png(2), "b/3.png": png(3), "b/4.txt": b"4"})
    found = result(pool.bucket(bucket.url, include=["*.raw", "b/*.png"]))
    assert (found["total"], found["added"]) == (2, 2)
    assert [one.name for one in pool.examples()] == ["a/2.raw", "b/3.png"]


ROWS = [
    {"key": "x/1.png", "split": "test", "label": "cat", "site": "A"},
    {"key": "x/2.png", "split": "", "label": "", "site": "B"},
    {"key": "x/gone.png", "split": "", "label": "", "site": "B"},
    {"key": "../x/1.png", "split": "", "label": "", "site": "B"},
    {"key": "s3://other-bucket/1.png", "split": "", "label": "", "site": "B"},
]


def _csv(rows: list[dict[str, str]]) -> bytes:
    lines = [",".join(rows[0]), *(",".join(row.values()) for row in rows)]
    return "\n".join(lines).encode()


WRITTEN: dict[str, Callable[[list[dict[str, str]]], bytes]] = {
    "csv": _csv,
    "jsonl": lambda rows: jsonl(*rows),
    "parquet": parquet_of,
}


@pytest.mark.parametrize(
    ("suffix", "uploaded"), [("csv", True), ("jsonl", False), ("parquet", True)]
)
def test_a_table_names_objects_and_says_what_they_are(
    bucket: Bucket, pool: Pool, suffix: str, uploaded: bool
) -> None:
    rows = [*ROWS, {"key": f"{bucket.url}/x/5.png", "split": "", "label": "", "site": "C"}]
    table = WRITTEN[suffix](rows)
    bucket.put({"x/1.png": png(1), "x/2.png": png(2), "x/5.png": png(5), "y.png": png(7)})
    name = f"table.{suffix}"
    if uploaded:
        job = pool.queue(table, name)
        job.params = {**job.params, "location": bucket.url}
        pool.session.commit()
        pool.run(job)
    else:
        bucket.put({name: table})
        job = pool.bucket(bucket.url, filename=name, table=f"{bucket.url}/{name}")
    found = result(job)
    assert (found["total"], found["added"]) == (6, 3)
    assert reasons(found) == {
        "x/gone.png": "there is no such object",
        "../x/1.png": "This is no location. Its path has an empty part, or one that is . or .., "
        "which lead elsewhere.",
        "s3://other-bucket/1.png": f"it is not below {bucket.url}",
    }
    first, second, last = pool.examples()
    assert (first.split, second.split) == (Split.EVALUATION, Split.POOL)
    assert (first.name, first.meta) == ("x/1.png", {"site": "A"})
    assert (last.name, last.location) == ("x/5.png", f"{bucket.url}/x/5.png")


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_verdicts_of_a_table_are_votes(bucket: Bucket, pool: Pool, suffix: str) -> None:
    bucket.put({f"{seed}.png": png(seed) for seed in range(2)})
    ours = {"annotation_id": "7", "holds": "true", "key": "f81d4fae-7dec-11d0-a765-00a0c91e6bf6"}
    rows = [
        {"name": "0.png", "verdict": "class", "class": "cat", "annotator": "ada", **ours},
        {"name": "0.png", "verdict": "ood", "class": "", "annotator": "ben", **ours},
        {"name": "1.png", "verdict": "ood", "class": "", "annotator": "ada", **ours},
        {"name": "1.png", "verdict": "skip", "annotator": "ben", "class": "", **ours},
    ]
    rows[-1]["holds"] = "false"
    table = WRITTEN[suffix](rows)
    job = pool.queue(table, f"table.{suffix}")
    job.params = {**job.params, "location": bucket.url}
    pool.session.commit()
    found = result(pool.run(job))
    assert (found["refused"], found["added"], found["annotations"]) == (0, 2, 3)
    assert [(one.name, one.meta) for one in pool.examples()] == [("0.png", {}), ("1.png", {})]


def test_a_hostile_line_of_a_table_is_refused_by_its_number(bucket: Bucket, pool: Pool) -> None:
    bucket.put({"1.png": png(1)})
    job = pool.queue(b'{"key": "1.png"}\n' + b"[" * 100_000, "table.jsonl")
    job.params = {**job.params, "location": bucket.url}
    pool.session.commit()
    told = result(pool.run(job))
    assert told["added"] == 1
    assert "nested more than 64 deep" in reasons(told)["table.jsonl, line 2"]


def test_goes_on_after_the_last_batch_with_the_listing_of_its_start(
    bucket: Bucket, pool: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workers.imports.batch._MOST_ITEMS", 2)
    bucket.put({f"{seed}.png": png(seed) for seed in range(1, 8)})
    read = Listing.read

    def fails(self: Listing, entry: Any) -> Any:
        if entry.name == "5.png":
            raise OSError("unplugged")
        return read(self, entry)

    monkeypatch.setattr(Listing, "read", fails)
    job = pool.bucket(bucket.url)
    assert job.state is JobState.FAILED
    assert len(pool.examples()) == 4
    # Everything before would move up, were the bucket listed again.
    bucket.remove("1.png")
    bucket.put({"0.png": png(0)})
    monkeypatch.setattr(Listing, "read", read)
    requeue_job(job)
    pool.session.commit()
    assert result(pool.run(job))["added"] == 7
    assert [one.name for one in pool.examples()] == [f"{seed}.png" for seed in range(1, 8)]


def test_a_lost_listing_is_not_made_again_unawares(
    bucket: Bucket, pool: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workers.imports.batch._MOST_ITEMS", 1)
    bucket.put({"1.png": png(1)})
    job = pool.queue_bucket(bucket.url)
    job.checkpoint = {"tally": {"total": 1}}
    pool.session.commit()
    pool.run(job)
    assert job.error is not None
    assert "not added twice" in job.error["detail"]


def test_a_listing_that_an_earlier_version_has_made_is_made_again(
    bucket: Bucket, pool: Pool
) -> None:
    bucket.put({f"{seed}.png": png(seed) for seed in (1, 2)})
    job = pool.queue_bucket(bucket.url)
    job.attempt, job.checkpoint = 1, {"tally": {"total": 1}}
    pool.session.commit()
    work = pool.storage.work(job.id)
    work.mkdir(parents=True)
    with closing(sqlite3.connect(work / LISTING)) as index:
        index.execute("CREATE TABLE objects (name TEXT, size INT, tag TEXT)")
    assert result(pool.run(job))["added"] == 2


def test_follows_originals_that_were_moved_or_stored_again(bucket: Bucket, pool: Pool) -> None:
    content = png(1)
    bucket.put({"a/1.png": content})
    pool.bucket(bucket.url)
    bucket.put({"b/1.png": content})
    assert result(pool.bucket(bucket.url))["duplicates"] == 2
    (one,) = pool.examples()
    assert one.location == f"{bucket.url}/a/1.png"
    bucket.remove("a/1.png")
    assert result(pool.bucket(bucket.url))["duplicates"] == 1
    (one,) = pool.examples()
    assert one.location == f"{bucket.url}/b/1.png"


def test_bytes_that_are_sent_again_replace_an_original_that_was_lost(
    bucket: Bucket, pool: Pool
) -> None:
    files = {f"{seed}.png": png(seed) for seed in range(3)}
    bucket.put(files)
    pool.bucket(bucket.url)
    pool.add(zipped([("3.png", png(3)), ("4.png", png(4))]))
    bucket.remove("1.png")
    kept = pool.storage.image(hashlib.sha256(png(3)).digest())
    kept.unlink()
    again = [*files.items(), ("3.png", png(3)), ("4.png", png(4))]
    assert result(pool.add(zipped(again)))["duplicates"] == 5
    assert kept.read_bytes() == png(3)
    found = {one.name: one for one in pool.examples()}
    assert found["0.png"].location is not None
    assert not pool.storage.image(found["0.png"].content_hash).exists()
    assert (found["1.png"].location, found["1.png"].location_tag) == (None, None)
    assert pool.storage.image(found["1.png"].content_hash).read_bytes() == png(1)
    # Now ours is lost, and met in the bucket.
    kept.unlink()
    bucket.put({"3.png": png(3)})
    assert result(pool.bucket(bucket.url))["added"] == 0
    found = {one.name: one for one in pool.examples()}
    assert found["3.png"].location == f"{bucket.url}/3.png"


def test_an_object_that_changed_is_another_image(bucket: Bucket, pool: Pool) -> None:
    bucket.put({"1.png": png(1)})
    pool.bucket(bucket.url)
    bucket.put({"1.png": png(2)})
    assert result(pool.bucket(bucket.url))["added"] == 1
    before, after = pool.examples()
    assert before.location == after.location
    assert before.location_tag != after.location_tag


@pytest.mark.parametrize("fields", [{"site": "A"}, {"verdict": "ood"}])
def test_large_objects_are_not_read_ahead(
    bucket: Bucket, pool: Pool, monkeypatch: pytest.MonkeyPatch, fields: dict[str, str]
) -> None:
    monkeypatch.setattr(prefetch, "_MOST_BYTES", 2000)
    rows = [{"file_name": f"{seed}.png", **fields} for seed in range(30)]
    bucket.put({"metadata.jsonl": jsonl(*rows)})
    bucket.put({f"{seed}.png": encoded(picture(seed, 60, 60)) for seed in range(30)})
    held, most = 0, 0
    read = S3.read

    def counting(self: S3, found: Any) -> bytes:
        nonlocal held, most
        held += 1
        most = max(most, held)
        try:
            return read(self, found)
        finally:
            held -= 1

    monkeypatch.setattr(S3, "read", counting)
    assert result(pool.bucket(bucket.url))["added"] == 30
    assert most == 1


@pytest.mark.parametrize(
    ("variable", "value", "code"),
    [
        ("KARAT_S3_ENDPOINT", "http://127.0.0.1:9", "location_unavailable"),
        ("KARAT_IMPORT_LOCATIONS", "s3://another-bucket", "location_not_allowed"),
        ("KARAT_IMPORT_LOCATIONS", "", "locations_off"),
    ],
)
def test_says_why_a_bucket_cannot_be_read(
    bucket: Bucket,
    pool: Pool,
    monkeypatch: pytest.MonkeyPatch,
    variable: str,
    value: str,
    code: str,
) -> None:
    monkeypatch.setenv(variable, value)
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    settings.settings.cache_clear()
    job = pool.bucket(bucket.url, dry_run=True)
    assert job.error is not None
    assert job.error["code"] == code
    assert "secret" not in json.dumps(job.error)


def test_a_bucket_that_is_away_is_waited_for_and_not_for_ever(
    bucket: Bucket, pool: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    bucket.put({"1.png": png(1)})
    job = pool.queue_bucket(bucket.url)

    def waits() -> bool:
        pool.session.refresh(job)
        return str(job.state) == "queued" and (job.message or "").startswith("Waits for the bucket")

    with monkeypatch.context() as meanwhile:
        out_of_reach(meanwhile)
        settings.settings.cache_clear()
        pool.run(job)
        assert waits()
        sweep({})
        # The first time at once, and then after as long as it is away already.
        assert not waits()
        pool.run(job)
        job.checkpoint = since(job, timedelta(minutes=2))
        pool.session.commit()
        sweep({})
        assert waits()
        # Where it begins anew, nobody knows since when, and the sweep sends it.
        kept, job.checkpoint = job.checkpoint, {}
        pool.session.commit()
        sweep({})
        assert not waits()
        pool.run(job)
        job.checkpoint = kept
        pool.session.commit()
        # Never longer than some minutes.
        job.checkpoint, job.sent_at = since(job, timedelta(days=2)), ago(timedelta(minutes=6))
        pool.session.commit()
        sweep({})
        pool.run(job)
        assert job.error is not None
        assert (job.state, job.error["code"]) == (JobState.FAILED, "location_unavailable")
        requeue_job(job)
        pool.session.commit()
        pool.run(job)
        assert waits()
    settings.settings.cache_clear()
    sweep({})
    assert result(pool.run(job))["added"] == 1


def ago(time: timedelta) -> datetime:
    return datetime.now(UTC) - time


def since(job: Job, time: timedelta) -> dict[str, Any]:
    """The checkpoint of a job that waits for a bucket for so long."""
    return {**job.checkpoint, "away": {**job.checkpoint["away"], "since": ago(time).isoformat()}}


def test_a_folder_that_is_shared_serves_as_a_bucket(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pool: Pool
) -> None:
    share, outside = tmp_path / "share", tmp_path / "outside"
    for folder in (share / "cat", outside):
        folder.mkdir(parents=True)
    (share / "cat" / "1.png").write_bytes(png(1))
    (outside / "2.png").write_bytes(png(2))
    (share / "leak.png").symlink_to(outside / "2.png")
    (share / "leak").symlink_to(outside)
    (share / "table.csv").write_bytes(b"key\ncat/1.png\nleak.png\nleak/2.png\n")
    monkeypatch.setenv("KARAT_IMPORT_LOCATIONS", f"file://{share}")
    settings.settings.cache_clear()
    location = f"file://{share}"
    table = f"{location}/table.csv"
    found = result(pool.bucket(location, filename=table, table=table))
    assert reasons(found) == {
        "leak.png": "the bucket refuses access to it",
        "leak/2.png": "the bucket refuses access to it",
    }
    (share / "tab\t3.png").write_bytes(png(3))
    Path(os.fsdecode(os.fsencode(share) + b"/caf\xe9.png")).write_bytes(png(4))
    found = result(pool.bucket(location, include=["*.png"]))
    assert (found["duplicates"], found["refused"]) == (1, 2)
    reason = "its path has parts that lead elsewhere, or characters that no address has"
    assert reasons(found) == {
        "tab\N{REPLACEMENT CHARACTER}3.png": reason,
        "caf\N{REPLACEMENT CHARACTER}.png": reason,
    }
    (one,) = pool.examples()
    assert one.location == f"{location}/cat/1.png"
