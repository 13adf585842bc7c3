"""Images and archives to import, ordinary and hostile."""

import io
import json
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from PIL import Image
from pyarrow import parquet
from sqlalchemy import select
from sqlalchemy.orm import Session

from core.files.storage import Storage
from core.jobs.messages import RunJob
from core.lifecycle import new_job
from core.states import JobKind, Split
from core.tables import Artifact, Example, ExampleText, Job, Project
from models.media.texts.store import TextStore
from tests import heic
from workers.execution.runner import run_job
from workers.imports import handler

heic.written()


def picture(seed: int, width: int = 12, height: int = 10, mode: str = "RGB") -> Image.Image:
    """Noise; different seeds give different images."""
    generator = np.random.default_rng(seed)
    pixels = generator.integers(0, 256, (height, width, 4), dtype=np.uint8)
    return Image.fromarray(pixels).convert(mode)


def encoded(image: Image.Image, kind: str = "PNG", **options: Any) -> bytes:
    stream = io.BytesIO()
    image.save(stream, kind, **options)
    return stream.getvalue()


def png(seed: int) -> bytes:
    return encoded(picture(seed))


def jpeg(seed: int, **options: Any) -> bytes:
    return encoded(picture(seed, 40, 30), "JPEG", **options)


def huge_png(width: int = 60_000, height: int = 50_000) -> bytes:
    """A few bytes whose header promises gigabytes of pixels."""
    header = struct.pack(">2L5B", width, height, 8, 2, 0, 0, 0)
    chunks = [(b"IHDR", header), (b"IDAT", zlib.compress(bytes(1000))), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">L", len(data)) + kind + data + struct.pack(">L", zlib.crc32(kind + data))
        for kind, data in chunks
    )


def animation(kind: str) -> bytes:
    frames = [picture(seed) for seed in range(3)]
    return encoded(frames[0], kind, save_all=True, append_images=frames[1:])


def zipped(files: Iterable[tuple[str, bytes]], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, content in files:
            archive.writestr(name, content)
    return stream.getvalue()


def tarred(files: Mapping[str, bytes], format_: int = tarfile.PAX_FORMAT) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=format_) as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return stream.getvalue()


def jsonl(*lines: Any, **options: Any) -> bytes:
    """A line each; what is text already as it is."""
    written = (one if isinstance(one, str) else json.dumps(one, **options) for one in lines)
    return "".join(f"{one}\n" for one in written).encode()


def parquet_of(
    table: Mapping[str, Any] | Sequence[Mapping[str, Any]],
    row_group_size: int | None = None,
    /,
    **classes: Sequence[str],
) -> bytes:
    """A file of columns or of rows; `classes` are names by column, as Hugging Face has them."""
    made = pa.table(table) if isinstance(table, Mapping) else pa.Table.from_pylist([*table])
    if classes:
        features = {name: {"names": of, "_type": "ClassLabel"} for name, of in classes.items()}
        about = {"huggingface": json.dumps({"info": {"features": features}})}
        made = made.replace_schema_metadata(about)
    stream = io.BytesIO()
    parquet.write_table(made, stream, row_group_size=row_group_size)
    return stream.getvalue()


def patched(archive: bytes, name: str, changes: Mapping[str, int]) -> bytes:
    """``archive`` with fields of ``name``'s directory entry overwritten, as an attacker would."""
    fields = {"flags": (8, "<H"), "method": (10, "<H"), "crc": (16, "<L"), "size": (24, "<L")}
    found = bytearray(archive)
    at = -1
    while True:
        at = found.index(b"PK\1\2", at + 1)
        length = struct.unpack_from("<H", found, at + 28)[0]
        if found[at + 46 : at + 46 + length] == name.encode():
            break
    for field, value in changes.items():
        offset, form = fields[field]
        struct.pack_into(form, found, at + offset, value)
    return bytes(found)


class Pool:
    """A project's pool, and imports into it as the worker runs them."""

    def __init__(self, session: Session, storage: Storage, project: Project) -> None:
        self.session, self.storage, self.project_id = session, storage, project.id

    def queue(
        self,
        content: bytes,
        filename: str = "pool.zip",
        split: Split = Split.POOL,
        columns: Mapping[str, str] | None = None,
        annotations: Sequence[str] = (),
        **params: Any,
    ) -> Job:
        """An import job whose upload has arrived."""
        job = new_job(JobKind.IMPORT_POOL, project_id=self.project_id, params={})
        self.session.add(job)
        self.session.flush()
        name = f"{job.id}{Path(filename).suffix}"
        job.params = {
            "upload": name,
            "filename": filename,
            "split": split.value,
            "columns": dict(columns or {}),
            "annotations": list(annotations),
            **params,
        }
        self.session.commit()
        self.storage.upload(name).parent.mkdir(parents=True, exist_ok=True)
        self.storage.upload(name).write_bytes(content)
        return job

    def add(
        self,
        content: bytes,
        filename: str = "pool.zip",
        split: Split = Split.POOL,
        columns: Mapping[str, str] | None = None,
        annotations: Sequence[str] = (),
        **params: Any,
    ) -> Job:
        """Import ``content`` to the end, in this process."""
        return self.run(self.queue(content, filename, split, columns, annotations, **params))

    def bucket(self, location: str, **params: Any) -> Job:
        """Import images that stay where they are, to the end."""
        return self.run(self.queue_bucket(location, **params))

    def queue_bucket(self, location: str, **params: Any) -> Job:
        """An import job of what lies in a bucket."""
        given = {"filename": location, "location": location, "split": "pool", "include": []}
        job = new_job(JobKind.IMPORT_POOL, project_id=self.project_id, params={**given, **params})
        self.session.add(job)
        self.session.commit()
        return job

    def run(self, job: Job) -> Job:
        """Run ``job`` in this process, as a worker does that receives its message."""
        run_job(RunJob.of(job), handler)
        self.session.expire_all()
        return job

    def zip(self, files: Mapping[str, bytes], split: Split = Split.POOL) -> dict[str, Any]:
        """Import a zip of ``files``; returns the job's result."""
        job = self.add(zipped(files.items()), split=split)
        assert job.result is not None, job.error
        return job.result

    def examples(self) -> list[Example]:
        self.session.expire_all()
        statement = select(Example).where(Example.project_id == self.project_id)
        return list(self.session.scalars(statement.order_by(Example.pool_index)))

    def contents(self) -> list[str]:
        """What the texts of the pool say, as the database has it, in its order."""
        self.session.expire_all()
        statement = select(ExampleText.content).join(Example, Example.id == ExampleText.example_id)
        mine = statement.where(Example.project_id == self.project_id)
        return list(self.session.scalars(mine.order_by(Example.pool_index)))

    def stored(self) -> list[str]:
        """The same as models have it."""
        count = len(self.examples())
        return TextStore.open(self.storage.texts(self.project_id), count)[:]

    def report(self, job: Job) -> str:
        statement = select(Artifact.storage_key).where(Artifact.job_id == job.id)
        return self.storage.artifact(self.session.scalars(statement).one()).read_bytes().decode()


def reasons(result: Mapping[str, Any]) -> dict[str, str]:
    """Reason of each refusal, by name."""
    return {one["name"]: one["reason"] for one in result["refused_examples"]}
