"""A backup of an installation at work, put back into an empty one, is whole."""

import io
import json
import shutil
import tarfile
import threading
import uuid
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from psycopg import sql
from sqlalchemy import create_engine, select, text, update

from core import settings
from core.files.storage import write_atomically
from core.lifecycle import claim_job, new_job
from core.security.sealing import KEY_FILE, Sealer
from core.states import ArtifactKind, JobKind, JobState, ProjectState, Role
from core.tables import Artifact, Example, Job, Withdrawal
from karat.local import backup
from karat.local.backup import back_up
from karat.local.installation import Installation
from karat.local.processes import ServiceError
from karat.local.restore import restore_from
from models.media.texts.store import TextStore
from tests.fixtures import Services
from tests.karat.helpers import Run
from tests.security.targets import add_judge, add_weights
from tests.world import World
from workers.verify.__main__ import verify


@pytest.fixture
def source(world: World, installation: settings.Settings) -> Installation:
    """A project at work: an open round, a job under way, an upload that waits, an artifact.

    And a project of texts, some of which an import that was killed has left in their store.
    """
    project = world.project(images=12, state=ProjectState.RUNNING)
    told = world.texts(["one", "two"])
    with TextStore.writer(world.storage.texts(told.id)) as writer:
        writer.write(0, ["one", "two", "three"])
    world.open_round(project, 6)
    job = new_job(JobKind.IMPORT_POOL, project_id=project.id, params={"upload": "waiting.zip"})
    world.session.add(job)
    world.session.flush()
    claim_job(job, "worker:1")
    job.checkpoint = {"tally": {}, "report_end": 3}
    world.storage.upload("waiting.zip").parent.mkdir()
    world.storage.upload("waiting.zip").write_bytes(b"zip")
    world.storage.warm_up(project.id).parent.mkdir(parents=True, exist_ok=True)
    world.storage.warm_up(project.id).write_bytes(b"made again by whoever wants it")
    key = f"projects/{project.id}/model.safetensors"
    world.storage.artifact(key).write_bytes(b"model")
    world.session.add(
        Artifact(
            project_id=project.id,
            kind=ArtifactKind.CHECKPOINT,
            storage_key=key,
            sha256=sha256(b"model").hexdigest(),
            bytes=5,
        )
    )
    weights = world.storage.artifact("weights/a/b.safetensors")
    weights.parent.mkdir(parents=True)
    weights.write_bytes(b"weights")
    weights.with_name("left.safetensors").write_bytes(b"of an upload that was refused")
    add_weights(
        world, storage_key="weights/a/b.safetensors", sha256=sha256(b"weights").hexdigest(), bytes=7
    )
    world.session.commit()
    return Installation(installation.data_dir, installation.database_url, running=True)


@pytest.fixture
def empty(services: Services, tmp_path: Path) -> Iterator[Installation]:
    """An empty database and no directory yet."""
    plain = f"restored_{uuid.uuid4().hex}"
    name = sql.Identifier(plain)
    services.administer(sql.SQL("CREATE DATABASE {}").format(name))
    yield Installation(
        tmp_path / "empty", services.database_url(name.as_string().strip('"')), False
    )
    services.administer(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(name))


def problems(installation: Installation) -> list[str]:
    """Checks that do not hold."""
    made = settings.Settings(database_url=installation.database_url, data_dir=installation.data_dir)
    engine = create_engine(installation.database_url)
    try:
        found = list(verify(engine, made, running=False))
    finally:
        engine.dispose()
    assert len(found) > 10
    return [finding.name for finding in found if finding.level == "problem"]


def test_the_uploads_of_plans_that_wait_are_kept_and_of_answered_ones_are_not(
    source: Installation, empty: Installation, world: World, tmp_path: Path
) -> None:
    project = world.project(images=1)
    cases: dict[str, dict[str, Any]] = {
        "asked": {"dry_run": True},
        "started": {"dry_run": True, "answer": "started"},
        "discarded": {"dry_run": True, "answer": "discarded"},
        "done": {},
    }
    for name, params in cases.items():
        upload = {"upload": f"{name}.zip", **params}
        job = new_job(JobKind.IMPORT_POOL, project_id=project.id, params=upload)
        job.state = JobState.SUCCEEDED
        world.session.add(job)
        world.storage.upload(f"{name}.zip").write_bytes(b"zip")
    # What a plan was started as needs its upload, too.
    upload = {"upload": "started.zip", "plan": 1}
    world.session.add(new_job(JobKind.IMPORT_POOL, project_id=project.id, params=upload))
    # So does a search for what is like it.
    picture = {"upload": "picture"}
    world.session.add(new_job(JobKind.LOOK_UP, project_id=project.id, params=picture))
    world.storage.upload("picture").write_bytes(b"png")
    world.session.commit()
    back_up(source, tmp_path / "karat.tar")
    restore_from(tmp_path / "karat.tar", empty)
    found = {path.name for path in (empty.data_dir / "uploads").iterdir()}
    assert found == {"waiting.zip", "asked.zip", "started.zip", "picture"}


def test_what_is_backed_up_while_images_come_in_is_whole(
    source: Installation, empty: Installation, world: World, tmp_path: Path
) -> None:
    started, enough = threading.Event(), threading.Event()

    def import_images() -> None:
        """As an import does: files first, then rows, again and again."""
        projects = 0
        while not enough.is_set():
            project = world.project(images=6)
            world.open_round(project, 3)
            projects += 1
            if projects == 4:
                started.set()

    importing = threading.Thread(target=import_images)
    importing.start()
    try:
        assert started.wait(60)
        made = back_up(source, tmp_path / "karat.tar")
    finally:
        enough.set()
        importing.join()
    put = restore_from(tmp_path / "karat.tar", empty)
    # 12 images, a model, weights and an upload, the pixels of five projects; what no row of the
    # moment names is not among them.
    assert put.files == made.files >= 20
    assert [file.read_bytes() for file in (empty.data_dir / "weights").rglob("*.*")] == [b"weights"]
    assert problems(empty) == []
    assert (empty.data_dir / "uploads" / "waiting.zip").read_bytes() == b"zip"
    assert list(source.data_dir.rglob("warm-up.npz"))
    assert not list(empty.data_dir.rglob("warm-up.npz"))
    engine = create_engine(empty.database_url)
    with engine.connect() as connection:
        assert len(connection.execute(select(Example.id)).all()) >= 18
        # Its unfinished work is not kept, so it begins again.
        job = connection.execute(select(Job.state, Job.checkpoint)).one()
        assert (job.state, job.checkpoint) == (JobState.RUNNING, {})
    engine.dispose()
    (empty.data_dir / "images" / "stray").write_bytes(b"")
    with pytest.raises(ServiceError, match="--replace"):
        restore_from(tmp_path / "karat.tar", empty)
    assert restore_from(tmp_path / "karat.tar", empty, replace=True) == put
    assert problems(empty) == []
    assert not (empty.data_dir / "images" / "stray").exists()
    assert not list(empty.data_dir.glob("*.part"))


def test_what_is_made_anew_meanwhile_is_backed_up_as_the_rows_name_it(
    source: Installation,
    empty: Installation,
    world: World,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A selection gets a file of another name; a model that is trained once more, the same."""
    (model,) = world.session.scalars(select(Artifact))
    chosen = f"projects/{model.project_id}/chosen-1.parquet"
    world.storage.artifact(chosen).write_bytes(b"chosen")
    digest = sha256(b"chosen").hexdigest()
    row = {"kind": ArtifactKind.SCORES, "storage_key": chosen, "sha256": digest, "bytes": 6}
    world.session.add(Artifact(project_id=model.project_id, **row))
    world.session.commit()

    linked: set[str] = set()

    def made_anew(*given: Any) -> None:
        dump(*given)
        for folder in source.data_dir.glob("links.*.part"):
            files = (path for path in folder.rglob("*") if path.is_file())
            linked.update(str(path.relative_to(folder)) for path in files)
        world.storage.artifact(chosen).rename(world.storage.artifact(f"{chosen}-2"))
        write_atomically(
            world.storage.artifact(model.storage_key), lambda part: part.write_bytes(b"other")
        )

    dump = backup._dump
    monkeypatch.setattr(backup, "_dump", made_anew)
    back_up(source, tmp_path / "karat.tar")
    restore_from(tmp_path / "karat.tar", empty)
    assert (empty.data_dir / chosen).read_bytes() == b"chosen"
    assert (empty.data_dir / model.storage_key).read_bytes() == b"model"
    # Pixels and features are large, and take no room once their project is deleted.
    assert linked == {"uploads/waiting.zip", chosen, model.storage_key}
    assert problems(empty) == []


@pytest.mark.parametrize(("before", "whole"), [(8, False), (None, True)])
def test_images_that_were_resized_meanwhile_are_not_backed_up_halfway(
    source: Installation,
    world: World,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    before: int | None,
    whole: bool,
) -> None:
    """The dump would name pixels that are gone; before the first import there are none."""
    project = world.project(input_size=before)

    def resized(*given: Any) -> None:
        dump(*given)
        project.settings = {**project.settings, "input_size": 28}
        world.session.commit()

    dump = backup._dump
    monkeypatch.setattr(backup, "_dump", resized)
    file = tmp_path / "karat.tar"
    if whole:
        back_up(source, file)
        return
    with pytest.raises(ServiceError, match="brought to another size during the backup"):
        back_up(source, file)
    assert not file.exists()


def test_what_is_withdrawn_meanwhile_is_not_backed_up_halfway(
    source: Installation, world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The dump would name originals that are gone."""
    project = world.project()

    def withdrawn(*given: Any) -> None:
        dump(*given)
        made = Withdrawal(project_id=project.id, images=2, answered=0, done=1)
        world.session.add(made)
        world.session.commit()

    dump = backup._dump
    monkeypatch.setattr(backup, "_dump", withdrawn)
    file = tmp_path / "karat.tar"
    with pytest.raises(ServiceError, match="withdrawn during the backup"):
        back_up(source, file)
    assert not file.exists()


def test_a_restore_that_fails_brings_back_what_was_there(
    source: Installation, empty: Installation, tmp_path: Path
) -> None:
    back_up(source, tmp_path / "karat.tar")
    restore_from(tmp_path / "karat.tar", empty)
    (empty.data_dir / "images" / "mine").write_bytes(b"")
    engine = create_engine(empty.database_url)
    with engine.begin() as connection:
        connection.execute(update(Job).values(message="mine"))
        # As a restore leaves it that was killed half-way.
        connection.execute(text("ALTER SCHEMA public RENAME TO karat_replaced"))
        connection.execute(text("CREATE SCHEMA public"))
    shutil.rmtree(empty.data_dir / "uploads")
    # Of a disk that is not there.
    (empty.data_dir / "uploads").symlink_to(tmp_path / "gone")
    with pytest.raises(ServiceError, match="uploads cannot be replaced"):
        restore_from(tmp_path / "karat.tar", empty, replace=True)
    assert (empty.data_dir / "images" / "mine").exists()
    assert not list(empty.data_dir.glob("*.part"))
    with engine.connect() as connection:
        assert connection.scalars(select(Job.message)).one() == "mine"
    engine.dispose()


def _damage(archive: Path, how: str) -> None:
    if how == "cut":
        with archive.open("r+b") as file:
            file.truncate(archive.stat().st_size // 2)
        return
    if how == "other":
        archive.write_bytes(b"no archive")
        return
    whole = archive.with_name("whole.tar")
    shutil.move(archive, whole)
    first = True
    with tarfile.open(whole) as source, tarfile.open(archive, "w") as output:
        for member in source:
            content = source.extractfile(member)
            assert content is not None
            text = content.read()
            if member.name == "manifest.json" and how == "newer":
                text = text.replace(b'"schema": "0', b'"schema": "9')
            if member.name.startswith("storage/images/") and first:
                first = False
                if how == "removed":
                    continue
                text = text[1:] if how == "changed" else text
                member.name = "storage/images/../../../out" if how == "outside" else member.name
            member.size = len(text)
            output.addfile(member, io.BytesIO(text))


def test_a_damaged_backup_changes_nothing(
    source: Installation, empty: Installation, tmp_path: Path
) -> None:
    good = tmp_path / "good.tar"
    back_up(source, good)
    for how, said in (
        ("cut", "no whole backup"),
        ("other", "no whole backup"),
        ("changed", "is not what was backed up"),
        ("removed", "is not what was backed up"),
        ("outside", "has no place in it"),
        ("newer", "newer than this"),
    ):
        archive = tmp_path / f"{how}.tar"
        shutil.copy(good, archive)
        _damage(archive, how)
        with pytest.raises(ServiceError, match=said):
            restore_from(archive, empty)
        assert list(empty.data_dir.iterdir()) == [], how
        assert not (tmp_path / "out").exists()
    # And it can still be restored into.
    assert restore_from(good, empty).files > 0


def test_the_commands(
    source: Installation, empty: Installation, world: World, karat: Run, tmp_path: Path
) -> None:
    world.caller(Role.ADMIN)
    here = {"DATABASE_URL": source.database_url, "KARAT_DATA_DIR": str(source.data_dir)}
    there = {"DATABASE_URL": empty.database_url, "KARAT_DATA_DIR": str(empty.data_dir)}
    archive = tmp_path / "karat.tar"
    sealer = Sealer.of(settings.Settings(data_dir=source.data_dir), make=True)
    add_judge(world, key_sealed=sealer.seal("sk-canary", "judge"))
    assert "files" in karat("backup", archive, **here).stdout
    with tarfile.open(archive) as whole:
        assert not any(KEY_FILE in name for name in whole.getnames())
    assert archive.stat().st_mode & 0o077 == 0
    assert b"sk-canary" not in archive.read_bytes()
    assert "exists already" in karat("backup", archive, status=1, **here).stderr
    karat("restore", archive, **there)
    found = json.loads(karat("verify", "--json", **there).stdout)
    assert {one["level"] for one in found} == {"ok"}
    shutil.rmtree(empty.data_dir / "images")
    said = karat("verify", status=1, **there).stdout
    assert "problem every image has its file 12 against it:" in said
    assert "and 7 more" in said
    assert "karat restore" in said
    assert "holds no Karat" in karat("verify", "--data-dir", tmp_path / "nowhere", status=1).stderr
