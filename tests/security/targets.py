"""A project with one of everything, and the calls that reach it."""

import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256 as sha256_of
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import numpy as np
from sqlalchemy import select, update

from api.pools import links
from api.snapshots.schemas import SnapshotCounts
from core.artifacts.pool_snapshots import SnapshotWriter, digest_of
from core.artifacts.selections import write_selection
from core.files.storage import sha256
from core.lifecycle import claim_job, finish_job, new_job
from core.states import ArtifactKind, CertificateState, JobKind, JobState, Role
from core.tables import (
    DRY_RUN,
    Artifact,
    Certificate,
    Delivery,
    Example,
    Job,
    Judge,
    LoginSession,
    PoolSnapshot,
    Project,
    SigningKey,
    Suggestion,
    Sync,
    User,
    Webhook,
    WebhookEvent,
    Weights,
    Withdrawal,
    Worker,
)
from core.tasks.classification import stored_class
from tests.api.test_subsets import add_subset
from tests.certificates import add_certificate
from tests.passwords import hashed
from tests.world import Caller, World, png
from workers.instructions.report import figures

PASSWORD = "a long password"


@dataclass(frozen=True)
class Target:
    """What the parameters of a path stand for in one call, and who calls."""

    project: Project
    caller: Caller | None
    values: dict[str, Any]

    def with_(self, **values: Any) -> "Target":
        """The same, with some parameters standing for something else."""
        return replace(self, values={**self.values, **values})


@dataclass(frozen=True)
class Call:
    """How to call a route so that only authorisation could refuse it.

    Attributes:
        body: JSON to send.
        content: Bytes to send instead.
        query: What follows the path.
        before: Makes what the call uses up; returns the target to call with.
        none: The target has no such thing, so those who may are told 404.
    """

    body: Callable[[Target], Any] | None = None
    content: bytes | None = None
    query: Callable[[Target], str] = field(default=lambda _: "")
    before: Callable[[World, Target], Target] = field(default=lambda _, target: target)
    none: bool = False


def _job(world: World, project: Project, kind: JobKind) -> Job:
    job = new_job(kind, project_id=project.id, params={})
    world.session.add(job)
    world.session.flush()
    return job


def _told(world: World, project_id: int | None) -> Delivery:
    """What a new webhook of a project was told."""
    hook = Webhook(
        project_id=project_id, url="https://example.org/", events=[], secret="whsec_aa", active=True
    )
    event = WebhookEvent(kind="job.failed", project_id=project_id, data={}, handed_out=True)
    world.session.add_all([hook, event])
    world.session.flush()
    told = Delivery(webhook_id=hook.id, event_id=event.id)
    world.session.add(told)
    world.session.flush()
    return told


def _sync(world: World, project_id: int) -> Sync:
    """A place that a pool follows, which nobody looks at by itself."""
    address = f"s3://photos/{uuid.uuid4()}"
    params = {"filename": address, "location": address}
    sync = Sync(project_id=project_id, location=address, params=params)
    world.session.add(sync)
    world.session.flush()
    return sync


def _selected(world: World, project: Project) -> Job:
    """What a job has chosen, of the rows of a project."""
    examples = world.session.scalars(
        select(Example).where(Example.project_id == project.id).order_by(Example.pool_index)
    ).all()
    job = _job(world, project, JobKind.SELECT_INSTRUCTIONS)
    key = f"projects/{project.id}/jobs/{job.id}/selection.parquet"
    path = world.storage.artifact(key)
    path.parent.mkdir(parents=True)
    count = len(examples)
    columns: dict[str, Any] = {
        "example_id": np.array([one.id for one in examples]),
        "pool_index": np.array([one.pool_index for one in examples]),
        "cluster": np.zeros(count, dtype=np.int64),
        "kept": np.arange(count) == 0,
        "rank": np.arange(1, count + 1),
        **{name: np.full(count, np.nan) for name in ("score", "w", "p_value")},
        "reason": np.full(count, "drawn", dtype=object),
        "source": np.full(count, "method", dtype=object),
        "status": np.full(count, "plain", dtype=object),
        "asked": np.full(count, "", dtype=object),
        "length": np.ones(count, dtype=np.int64),
        "topic": np.full(count, -1),
    }
    write_selection(path, columns)
    nothing: dict[str, Any] = {"judge": None, "warnings": [], "people": None, "topic_words": []}
    meta = {"method": "random", **figures(columns), **nothing}
    world.session.add(
        Artifact(
            project_id=project.id,
            job_id=job.id,
            kind=ArtifactKind.SELECTION,
            storage_key=key,
            sha256=sha256(path),
            bytes=path.stat().st_size,
            meta=meta,
        )
    )
    return job


def target(world: World) -> Target:
    """A new project with an open round, jobs, a review, a subset and files."""
    project = world.project(images=6)
    subset = add_subset(world, project, [0, 1, 2])
    world.open_round(project, queries=4)
    imported, relabel = (
        _job(world, project, kind) for kind in (JobKind.IMPORT_POOL, JobKind.RELABEL)
    )
    report = world.storage.artifact(f"projects/{project.id}/jobs/{imported.id}/report.csv")
    report.parent.mkdir(parents=True)
    report.write_text("name,outcome,reason\n")
    world.session.add(
        Artifact(
            project_id=project.id,
            job_id=imported.id,
            kind=ArtifactKind.IMPORT_REPORT,
            storage_key=str(report.relative_to(world.storage.root)),
            sha256=sha256(report),
            bytes=report.stat().st_size,
        )
    )
    example = world.session.scalars(
        select(Example).where(Example.project_id == project.id).limit(1)
    ).one()
    cat, dog = world.classes(project)
    suggestion = Suggestion(
        project_id=project.id, job_id=relabel.id, example_id=example.id, rank=0,
        given_label=stored_class(cat.id), suggested_label=stored_class(dog.id),
        confidence=0.9, quality=0.2,
    )  # fmt: skip
    world.session.add(suggestion)
    told = _told(world, project.id)
    sync = _sync(world, project.id)
    selected = _selected(world, project)
    withdrawal = Withdrawal(project_id=project.id, images=1, answered=0)
    world.session.add(withdrawal)
    world.session.commit()
    return Target(
        project,
        None,
        {
            "project_id": project.id,
            "example_id": example.id,
            "artifact_id": subset.id,
            "subset_id": subset.id,
            "job_id": selected.id,
            "import_id": imported.id,
            "suggestion_id": suggestion.id,
            "review": relabel.id,
            "snapshot": add_snapshot(world, project),
            "certificate_id": add_certificate(world, project).id,
            "withdrawal_id": withdrawal.id,
            "webhook_id": told.webhook_id,
            "delivery_id": told.id,
            "sync_id": sync.id,
            "class_id": cat.id,
            "number": 0,
            "level": 0,
            "by": "state",
            "column": 0,
            "row": 0,
            "pool_index": 0,
            "name": "nobody",
            "token_id": 0,
            "session_id": 0,
            "weights_id": 1,
            "judge_id": 1,
            "user_id": 0,
        },
    )


def add_snapshot(world: World, project: Project) -> str:
    """A snapshot of nothing but one example; returns its name."""
    name = f"release {uuid.uuid4()}"
    key = f"projects/{project.id}/snapshots/{uuid.uuid4().hex}.parquet"
    path = world.storage.artifact(key)
    path.parent.mkdir(parents=True, exist_ok=True)
    writer = SnapshotWriter(path)
    digest = sha256_of(b"").digest()
    writer.add([{"example_id": 1, "pool_index": 0, "sha256": digest, "says": 0, "split": "pool"}])
    writer.close()
    artifact = Artifact(
        project_id=project.id,
        kind=ArtifactKind.SNAPSHOT,
        storage_key=key,
        sha256=sha256(path),
        bytes=path.stat().st_size,
    )
    world.session.add(artifact)
    world.session.flush()
    counts = dict.fromkeys(SnapshotCounts.model_fields, 0)
    row = PoolSnapshot(
        project_id=project.id, name=name, digest=digest_of(path),
        counts={**counts, "examples": 1, "classes": {}}, classes=[], artifact_id=artifact.id,
    )  # fmt: skip
    world.session.add(row)
    world.session.commit()
    return name


def _certificate(world: World, found: Target) -> Target:
    return found.with_(certificate_id=add_certificate(world, found.project).id)


def _nothing_under_way(world: World, found: Target) -> Target:
    """Another certificate may be begun."""
    world.session.execute(
        update(Certificate)
        .where(Certificate.state == CertificateState.SCORING)
        .values(state=CertificateState.REFUSED)
    )
    world.session.execute(
        update(Job).where(Job.kind == JobKind.CERTIFY).values(state=JobState.FAILED)
    )
    world.session.commit()
    return found


def _snapshot(world: World, found: Target) -> Target:
    return found.with_(snapshot=add_snapshot(world, found.project))


def _bystander(world: World, found: Target) -> Target:
    """Somebody in the project to be changed."""
    return found.with_(user_id=world.caller(Role.ANNOTATOR, found.project).user.id)


def _person(world: World, found: Target) -> Target:
    user = User(
        email=f"{uuid.uuid4()}@example.org",
        name="Login",
        role=Role.ANNOTATOR,
        password_hash=hashed(PASSWORD),
        active=True,
    )
    world.session.add(user)
    world.session.commit()
    return found.with_(email=user.email)


def _own_token(world: World, found: Target) -> Target:
    owner = found.caller or world.caller(Role.ANNOTATOR)
    return found.with_(token_id=world.token(owner.user)[0].id)


def _own_session(world: World, found: Target) -> Target:
    owner = found.caller or world.caller(Role.ANNOTATOR)
    row = LoginSession(
        token_hash=uuid.uuid4().hex,
        user_id=owner.user.id,
        expires_at=datetime.now(UTC) + timedelta(days=1),
    )
    world.session.add(row)
    world.session.commit()
    return found.with_(session_id=row.id)


def _worker(world: World, found: Target) -> Target:
    name = f"cpu@{uuid.uuid4()}"
    world.session.add(Worker(name=name, host="a", pid=1, queues=["cpu"]))
    world.session.commit()
    return found.with_(name=name)


def _webhook(world: World, found: Target) -> Target:
    """Another one beside that of the target, which may be another project's."""
    present = world.session.get_one(Webhook, found.values["webhook_id"])
    told = _told(world, present.project_id)
    world.session.commit()
    return found.with_(webhook_id=told.webhook_id)


def _followed(world: World, found: Target) -> Target:
    """Another one beside that of the target, as above."""
    present = world.session.get_one(Sync, found.values["sync_id"])
    sync = _sync(world, present.project_id)
    world.session.commit()
    return found.with_(sync_id=sync.id)


def _address(_: Target) -> dict[str, Any]:
    return {"url": "https://example.org/"}


def add_weights(world: World, name: str | None = None, **values: Any) -> Weights:
    """Weights of a tiny network that were found good, whose file is not there."""
    digest = uuid.uuid4().hex * 2
    row = Weights(**{
        "name": name or f"weights {digest[:8]}", "library": "timm", "architecture": "test_resnet",
        "filename": "a.safetensors", "sha256": digest, "tensors": 3, "bytes": 100,
        "storage_key": f"weights/{digest[:32]}/{digest}.safetensors",
        "meta": {}, "left_aside": ["fc.weight"], "checked_at": datetime.now(UTC), **values,
    })  # fmt: skip
    world.session.add(row)
    world.session.commit()
    return row


def _weights(world: World, found: Target) -> Target:
    return found.with_(weights_id=add_weights(world).id)


def add_judge(world: World, **values: Any) -> Judge:
    """A judge at an address that nobody is asked at."""
    row = Judge(**{
        "name": f"judge {uuid.uuid4()}", "base_url": "https://judge.example.org/v1",
        "model": "tiny", "concurrency": 4, "timeout": 10.0, "max_tokens": 64, **values,
    })  # fmt: skip
    world.session.add(row)
    world.session.commit()
    return row


def _judge(world: World, found: Target) -> Target:
    return found.with_(judge_id=add_judge(world).id)


def _new_judge(_: Target) -> dict[str, Any]:
    return {
        "name": f"new {uuid.uuid4()}",
        "base_url": "https://judge.example.org/v1",
        "model": "tiny",
    }


def _short_lived(world: World, found: Target) -> Target:
    project = world.project()
    return found.with_(project_id=project.id)


def _planned(world: World, found: Target) -> Target:
    """The plan of an import, which waits for an answer."""
    params = {"filename": "pool.zip", "split": "pool", "upload": "none.zip", DRY_RUN: True}
    job = new_job(JobKind.IMPORT_POOL, project_id=found.project.id, params=params)
    job.attempt, job.result = 0, None
    claim_job(job, "nobody")
    finish_job(job, JobState.SUCCEEDED, result={})
    world.session.add(job)
    world.session.commit()
    return found.with_(job_id=job.id)


def _linked(world: World, found: Target) -> Target:
    key = world.session.merge(SigningKey(name="images", secret=bytes(32)))
    world.session.commit()
    link = links.signed(key.secret, found.values["example_id"], int(time.time()) + 60)
    given = dict(parse_qsl(urlsplit(link).query))
    return found.with_(expires=given["expires"], signature=given["signature"])


def _answers(_: Target) -> dict[str, Any]:
    answer = {"key": str(uuid.uuid4()), "query_id": 1, "verdict": "ood", "seconds": 1}
    return {"answers": [answer]}


def _decisions(found: Target) -> dict[str, Any]:
    made = {"key": str(uuid.uuid4()), "suggestion_id": found.values["suggestion_id"]}
    return {"decisions": [{**made, "decision": "keep", "seconds": 1}]}


def _client(_: Target) -> dict[str, Any]:
    return {"client": str(uuid.uuid4())}


def _some(found: Target) -> dict[str, Any]:
    return {"ids": [found.values["example_id"]]}


def _another(world: World, found: Target) -> Target:
    """An image of its own, which the call takes out of the project."""
    world.add_images(found.project, 1)
    statement = select(Example.id).where(Example.project_id == found.project.id)
    last = world.session.scalars(statement.order_by(Example.id.desc()).limit(1)).one()
    world.session.commit()
    return found.with_(example_id=last)


def _some_pinned(found: Target) -> dict[str, Any]:
    return {"example_ids": [found.values["example_id"]]}


# Nothing was scored yet.
_NO_MAP = Call(none=True)

ENDLESS = {"project_events", "list_events"}
"""Streams, which never end."""

CALLS: dict[str, Call] = {
    "log_in": Call(
        lambda found: {"email": found.values["email"], "password": PASSWORD}, before=_person
    ),
    "change_password": Call(lambda _: {"old_password": "wrong", "password": "three odd lamps"}),
    "end_session": Call(before=_own_session),
    "begin_second_factor": Call(lambda _: {"password": "wrong"}),
    "confirm_second_factor": Call(lambda _: {"code": "123456"}),
    "renew_recovery_codes": Call(lambda _: {"password": "wrong", "code": "123456"}),
    "remove_second_factor": Call(lambda _: {"password": "wrong", "code": "123456"}),
    "reset_second_factor": Call(before=_bystander),
    "create_token": Call(lambda _: {"name": "script"}),
    "revoke_token": Call(before=_own_token),
    "create_user": Call(
        lambda _: {
            "email": f"{uuid.uuid4()}@example.org",
            "name": "New",
            "password": "three odd lamps",
        }
    ),
    "update_user": Call(lambda _: {"name": "Renamed"}, before=_bystander),
    "reset_password": Call(lambda _: {}, before=_bystander),
    "unlock_user": Call(before=_bystander),
    "erase_user": Call(before=_bystander),
    "export_user": Call(before=_bystander),
    "set_retention": Call(lambda _: {"days": 30}),
    "forget_worker": Call(before=_worker),
    "show_weights": Call(before=_weights),
    "delete_weights": Call(before=_weights),
    "add_weights": Call(
        content=b"no weights",
        query=lambda _: f"architecture=test_resnet&filename={uuid.uuid4()}.safetensors",
    ),
    "show_judge": Call(before=_judge),
    "create_judge": Call(_new_judge),
    "update_judge": Call(lambda _: {"max_tokens": 32}, before=_judge),
    "delete_judge": Call(before=_judge),
    "try_judge": Call(before=_judge),
    "create_project": Call(lambda _: {"name": f"new {uuid.uuid4()}", "classes": []}),
    "update_project": Call(lambda _: {"guidelines": "Look twice."}),
    "delete_project": Call(before=_short_lived),
    "add_member": Call(before=_bystander),
    "remove_member": Call(before=_bystander),
    "import_images": Call(content=png(1), query=lambda _: "filename=one.png"),
    "start_import": Call(lambda _: {}, before=_planned),
    "discard_import": Call(before=_planned),
    "import_bucket": Call(lambda _: {"location": "s3://photos"}),
    "linked_image": Call(
        before=_linked,
        query=lambda found: "expires={expires}&signature={signature}".format(**found.values),
    ),
    "import_report": Call(before=lambda _, found: found.with_(job_id=found.values["import_id"])),
    "lease": Call(lambda found: {"n": 1, **_client(found)}),
    "answer": Call(_answers),
    "release": Call(_client),
    "lease_suggestions": Call(lambda _: {"n": 1}),
    "decide": Call(_decisions),
    "audit_review": Call(lambda _: {"n": 3}, none=True),
    "start_job": Call(lambda _: {"kind": "relabel", "dry_run": True}),
    "resume_job": Call(lambda _: {"finish": True}),
    "begin_certificate": Call(lambda _: {}, before=_nothing_under_way),
    "apply_certificate": Call(before=_certificate),
    "revoke_certificate": Call(before=_certificate),
    "create_snapshot": Call(lambda _: {"name": f"new {uuid.uuid4()}"}),
    "delete_snapshot": Call(before=_snapshot),
    "compare_snapshots": Call(query=lambda found: f"with={found.values['snapshot']}"),
    "compare_selections": Call(query=lambda found: f"with={found.values['job_id']}"),
    "compare_subsets": Call(query=lambda found: "a={0}&b={0}".format(found.values["subset_id"])),
    "send_to_queue": Call(_some),
    "take_from_queue": Call(_some),
    "look_up": Call(content=png(1)),
    "find_by_words": Call(lambda _: {"words": "a dog"}),
    "look_at_example": Call(lambda _: {}, none=True),
    "judge_examples": Call(lambda found: {"verdict": "unsure", **_some(found)}),
    "hold_out_copies": Call(lambda _: {}),
    "hold_out": Call(_some),
    "preview_withdrawal": Call(_some),
    "withdraw_examples": Call(_some, before=_another),
    "release_examples": Call(_some),
    "promote_examples": Call(lambda found: {"name": f"new {uuid.uuid4()}", **_some(found)}),
    "example_neighbours": _NO_MAP,
    "pin_examples": Call(_some_pinned),
    "create_webhook": Call(_address),
    "create_webhook_for_all": Call(_address),
    "update_webhook": Call(_address),
    "delete_webhook": Call(before=_webhook),
    "create_sync": Call(lambda _: {"location": "s3://photos"}),
    "update_sync": Call(lambda _: {"every_minutes": None}),
    "delete_sync": Call(before=_followed),
    "run_sync": Call(lambda _: {}),
    "list_field_values": Call(query=lambda _: "of=camera"),
    "remove_predictions": Call(query=lambda _: "model=none", none=True),
    "list_sync_objects": Call(query=lambda _: "finding=gone"),
    "map_surface": _NO_MAP,
    "map_queries": _NO_MAP,
    "map_tile": _NO_MAP,
    "map_image": _NO_MAP,
    "map_images": Call(query=lambda _: "polygon=0,0;0,1;1,1", none=True),
}
