"""Uploaded weights: taken in, listed, chosen by projects, and deleted when nobody needs them."""

from pathlib import Path
from typing import Any

import pytest
import torch
from fastapi.testclient import TestClient
from safetensors.torch import save
from sqlalchemy import select

from core.files.storage import sha256
from core.jobs import queue
from core.jobs.messages import CheckWeights
from core.settings import Settings
from core.states import JobKind, JobState, Role, RoundState
from core.tables import Audit, Job, Project, PublishedWeights, Weights
from models.media.images.weight_files import whole
from tests.security.targets import add_weights
from tests.world import Caller, World

FILE = save({"a": torch.ones(3)}, {"mean": "[0.1, 0.2, 0.3]", "input_size": "96"})
PATH = "/api/weights"


@pytest.fixture
def admin(world: World) -> Caller:
    return world.caller()


def upload(http: TestClient, caller: Caller, content: bytes = FILE, **query: Any) -> Any:
    query = {"filename": "tiny.safetensors", "architecture": "test_resnet", **query}
    return http.post(PATH, params=query, content=content, headers=caller.headers)


def choose(http: TestClient, caller: Caller, project: Project, weights: str, **params: Any) -> Any:
    given = {"architecture": "test_resnet", "mode": "frozen", "weights": weights, **params}
    body = {"settings": {"model": {"name": "timm", "params": given}}}
    return http.patch(f"/api/projects/{project.id}", json=body, headers=caller.headers)


def files(world: World) -> list[Path]:
    folder = world.storage.root
    found = [*(folder / "weights").rglob("*"), *(folder / "uploads").rglob("*")]
    return [path for path in found if path.is_file()]


def test_an_upload_is_kept_by_its_content_listed_and_sent_to_be_checked(
    http: TestClient, world: World, admin: Caller
) -> None:
    made = upload(http, admin)
    assert made.status_code == 201, made.text
    found = made.json()
    (file,) = files(world)
    assert file.stem == found["sha256"] == sha256(file)
    assert file.read_bytes() == FILE
    assert found["bytes"] == len(FILE)
    assert (found["name"], found["library"], found["state"]) == ("tiny", "timm", "checking")
    assert found["meta"] == {"mean": [0.1, 0.2, 0.3], "input_size": 96}
    assert found["created_by"] == {"id": admin.user.id, "name": admin.user.name}
    assert queue.waiting(CheckWeights.queue) == 1
    engineer = world.caller(Role.ENGINEER)
    assert http.get(PATH, headers=engineer.headers).json() == {"items": [found]}
    one = http.get(f"{PATH}/{found['id']}", headers=engineer.headers)
    assert one.json() == found
    noted = world.session.scalars(select(Audit).where(Audit.object_type == "weights")).one()
    assert (noted.verb, noted.detail["name"], noted.object_id) == ("upload", "tiny", found["id"])


@pytest.mark.parametrize(
    ("content", "query", "code", "says"),
    [
        (FILE, {"filename": "a.pth"}, "invalid_weights", "is a pickle"),
        (FILE, {"filename": "a.zip"}, "invalid_weights", "no .safetensors file"),
        (b"PK\x03\x04 and so on", {}, "invalid_weights", "is a pickle"),
        (FILE[:-1], {}, "invalid_weights", "tiny.safetensors is no readable safetensors file"),
        (b"", {}, "empty_upload", "is empty"),
        (save({"a": torch.ones(1)}, {"std": "0"}), {}, "invalid_weights", "std has to be"),
        (FILE, {"name": " "}, "invalid_value", "Name the weights"),
        (FILE, {"name": "a\nb"}, "invalid_value", "Name the weights"),
        (FILE, {"architecture": "../x"}, "validation_error", ""),
        (FILE, {"library": "keras"}, "validation_error", ""),
    ],
)
def test_what_is_no_file_of_weights_leaves_nothing_behind(
    content: bytes,
    query: dict[str, str],
    code: str,
    says: str,
    http: TestClient,
    world: World,
    admin: Caller,
) -> None:
    refused = upload(http, admin, content, **query)
    assert 400 <= refused.status_code < 500
    if code != "validation_error":
        assert refused.json()["code"] == code
        assert says in refused.json()["detail"]
    assert files(world) == []
    assert world.session.scalars(select(Weights)).all() == []


def test_a_file_that_is_too_large_is_refused_as_it_comes(
    http: TestClient, world: World, admin: Caller, installation: Settings,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(installation, "max_weights_bytes", 50)
    refused = upload(http, admin)
    assert refused.status_code == 413
    assert "KARAT_MAX_WEIGHTS_BYTES" in refused.json()["detail"]
    assert files(world) == []


def test_a_full_disk_is_told_before_anything_is_sent(
    http: TestClient, world: World, admin: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.files.disk.shutil.disk_usage", lambda _: _Full())
    assert upload(http, admin).json()["code"] == "disk_full"
    assert files(world) == []


class _Full:
    free, total, used = 0, 10**12, 10**12


def test_names_and_files_are_there_once(http: TestClient, world: World, admin: Caller) -> None:
    assert upload(http, admin).status_code == 201
    again = upload(http, admin, save({"b": torch.ones(3)}))
    assert again.json()["code"] == "name_taken"
    same = upload(http, admin, name="other")
    assert same.json()["code"] == "weights_there"
    assert "'tiny'" in same.json()["detail"]
    (file,) = files(world)
    assert file.read_bytes() == FILE


@pytest.mark.parametrize("left", [None, b"", b"!" * len(FILE)])
def test_a_file_that_was_lost_is_put_back_by_uploading_it_again(
    http: TestClient, world: World, admin: Caller, left: bytes | None
) -> None:
    made = upload(http, admin).json()
    (file,) = files(world)
    if left is None:
        file.unlink()
        # By its name alone nothing tells it from others, and of the same name it is another.
        other = upload(http, admin, save({"b": torch.ones(3)}))
        assert other.json()["code"] == "name_taken"
    else:
        file.write_bytes(left)
    name = "once more" if left == b"" else "tiny"
    read = whole._computed.cache_info().misses
    again = upload(http, admin, name=name)
    assert (again.status_code, again.json()) == (201, made)
    damaged = bool(left)
    assert whole._computed.cache_info().misses == read + damaged, "not what came: others wait"
    (back,) = files(world)
    assert back.read_bytes() == FILE
    assert upload(http, admin, name="other").json()["code"] == "weights_there"


@pytest.mark.parametrize("left", [None, b"short", b"!" * len(FILE)])
def test_weights_whose_file_is_gone_are_listed_as_lost(
    http: TestClient, world: World, admin: Caller, left: bytes | None
) -> None:
    made = upload(http, admin).json()
    row = world.session.get_one(Weights, made["id"])
    row.checked_at = row.created_at
    world.session.commit()

    def states() -> set[str]:
        (listed,) = http.get(PATH, headers=admin.headers).json()["items"]
        one = http.get(f"{PATH}/{made['id']}", headers=admin.headers).json()
        return {listed["state"], one["state"]}

    assert states() == {"ready"}
    (file,) = files(world)
    file.unlink() if left is None else file.write_bytes(left)
    assert states() == {"lost"}
    # Nobody is to put back what does not fit.
    row.problem = "Tensor x is missing."
    world.session.commit()
    assert states() == {"refused"}
    row.problem = None
    world.session.commit()
    assert upload(http, admin).json()["state"] == "checking"


@pytest.mark.parametrize("role", [Role.ENGINEER, Role.ANNOTATOR])
def test_only_admins_add_and_delete(role: Role, http: TestClient, world: World) -> None:
    caller, row = world.caller(role), add_weights(world)
    assert upload(http, caller).status_code == 403
    assert http.delete(f"{PATH}/{row.id}", headers=caller.headers).status_code == 403
    assert files(world) == []


def test_a_project_chooses_weights_of_its_architecture_and_no_others(
    http: TestClient, world: World, admin: Caller
) -> None:
    project = world.project()
    add_weights(world, "mine")
    add_weights(world, "yours", architecture="resnet18")
    add_weights(world, "bad", problem="Tensor x is missing; is this file of test_resnet?")
    field = "settings.model.params.weights"
    for name, says in (
        ("nobody's", 'there are no weights "nobody\'s". For timm test_resnet there are bad, mine'),
        ("yours", "'yours' are of timm resnet18"),
        ("bad", "Tensor x is missing"),
    ):
        refused = choose(http, admin, project, name)
        assert refused.status_code == 400
        assert refused.json()["field"] == field
        assert says in refused.json()["detail"]
    chosen = choose(http, admin, project, "mine")
    assert chosen.status_code == 200, chosen.text
    assert chosen.json()["settings"]["model"]["params"]["weights"] == "mine"
    assert chosen.json()["warnings"] == []
    # Nobody has to look for published weights then.
    assert world.session.scalars(select(PublishedWeights)).all() == []


def test_weights_that_wait_for_their_check_can_be_chosen_and_the_project_says_so(
    http: TestClient, world: World, admin: Caller
) -> None:
    project, row = world.project(), add_weights(world, "new", checked_at=None)
    assert choose(http, admin, project, "new").json()["warnings"] == [
        "The weights 'new' are still to be checked by a worker."
    ]
    row.problem, row.checked_at = "Tensor x is missing.", row.created_at
    world.session.commit()
    shown = http.get(f"/api/projects/{project.id}", headers=admin.headers).json()
    assert shown["warnings"] == [
        "The weights 'new' do not fit test_resnet; choose others. Tensor x is missing."
    ]


def test_purity_clip_takes_weights_of_captions_and_no_others(
    http: TestClient, world: World, admin: Caller
) -> None:
    project = world.project()

    def compare(name: str) -> Any:
        purity = {"name": "clip", "params": {"classes": "cat, dog", "uploaded": name}}
        body = {"settings": {"purity": purity}}
        return http.patch(f"/api/projects/{project.id}", json=body, headers=admin.headers)

    upload(http, admin)
    for name, says in (("gone", "there are no such weights"), ("tiny", "are of timm")):
        refused = compare(name)
        assert (refused.status_code, refused.json()["code"]) == (400, "unknown_weights")
        assert says in refused.json()["detail"]
        assert refused.json()["field"] == "settings.purity.params.uploaded"
    captions = save({"b": torch.ones(3)})
    made = upload(http, admin, captions, name="words", library="open_clip").json()
    chosen = compare("words")
    assert chosen.status_code == 200, chosen.text
    assert chosen.json()["warnings"] == ["The weights 'words' are still to be checked by a worker."]
    kept = http.delete(f"{PATH}/{made['id']}", headers=admin.headers)
    assert (kept.status_code, kept.json()["code"]) == (409, "weights_in_use")
    assert compare("").status_code == 200
    assert http.delete(f"{PATH}/{made['id']}", headers=admin.headers).status_code == 204


def test_published_weights_are_looked_for_when_they_are_chosen_and_again_when_missing(
    http: TestClient, world: World, admin: Caller
) -> None:
    project = world.project()
    assert choose(http, admin, project, "").json()["warnings"] == []
    row = world.session.scalars(select(PublishedWeights)).one()
    assert (row.library, row.architecture, row.checked_at) == ("timm", "test_resnet", None)
    assert queue.waiting(CheckWeights.queue) == 1
    row.problem, row.checked_at = (
        "model.safetensors is not at /a/b.",
        world.caller().user.created_at,
    )
    world.session.commit()
    shown = http.get(f"/api/projects/{project.id}", headers=admin.headers).json()
    assert shown["warnings"] == ["model.safetensors is not at /a/b."]
    assert choose(http, admin, project, "").status_code == 200
    world.session.expire_all()
    row = world.session.scalars(select(PublishedWeights)).one()
    assert row.problem is None
    assert row.checked_at is None
    assert queue.waiting(CheckWeights.queue) == 2
    # Found once, it is not looked for each time that somebody saves.
    row.checked_at = admin.user.created_at
    world.session.commit()
    assert choose(http, admin, project, "", batch_size=32).status_code == 200
    # And nobody looks for what is not needed.
    assert choose(http, admin, project, "", mode="scratch").status_code == 200
    assert choose(http, admin, project, "", pretrained=False).status_code == 200
    assert queue.waiting(CheckWeights.queue) == 2


def test_weights_are_deleted_when_no_project_starts_from_them(
    http: TestClient, world: World, admin: Caller
) -> None:
    made = upload(http, admin).json()
    row = world.session.get_one(Weights, made["id"])
    row.checked_at = row.created_at
    world.session.commit()
    project = world.project(images=4)
    engineer, stranger = world.caller(Role.ENGINEER, project), world.caller(Role.ENGINEER)
    assert choose(http, engineer, project, "tiny").status_code == 200
    used = [{"id": project.id, "name": project.name}]
    for caller, seen in ((admin, used), (engineer, used), (stranger, [])):
        (found,) = http.get(PATH, headers=caller.headers).json()["items"]
        assert found["used_by"] == seen
    refused = http.delete(f"{PATH}/{made['id']}", headers=admin.headers)
    assert refused.json()["code"] == "weights_in_use"
    assert project.name in refused.json()["detail"]
    # A round that has begun works with what was chosen then.
    world.session.refresh(project)
    round_ = world.open_round(project, queries=2)
    assert choose(http, engineer, project, "", mode="scratch").status_code == 200
    refused = http.delete(f"{PATH}/{made['id']}", headers=admin.headers)
    assert refused.json()["code"] == "weights_in_use"
    round_.state = RoundState.CLOSED
    # A job may name others than its project does.
    params = {"weights": "tiny"}
    job = Job(project_id=project.id, kind=JobKind.RELABEL, state=JobState.QUEUED, params=params)
    world.session.add(job)
    world.session.commit()
    refused = http.delete(f"{PATH}/{made['id']}", headers=admin.headers)
    assert refused.json()["code"] == "weights_in_use"
    job.state = JobState.SUCCEEDED
    world.session.commit()
    assert http.delete(f"{PATH}/{made['id']}", headers=admin.headers).status_code == 204
    assert files(world) == []
    assert http.get(PATH, headers=admin.headers).json() == {"items": []}
    assert http.delete(f"{PATH}/{made['id']}", headers=admin.headers).status_code == 404
    verbs = select(Audit.verb).where(Audit.object_type == "weights").order_by(Audit.id)
    assert world.session.scalars(verbs).all() == ["upload", "delete"]
    # The name and the file are free again.
    assert upload(http, admin).status_code == 201


def test_the_storage_page_counts_them(http: TestClient, world: World, admin: Caller) -> None:
    add_weights(world, bytes=70)
    add_weights(world, bytes=30)
    assert http.get("/api/admin/storage", headers=admin.headers).json()["weights_bytes"] == 100
