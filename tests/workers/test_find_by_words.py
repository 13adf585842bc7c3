"""A pool that is searched by words, once an admin has uploaded weights that understand them."""

from pathlib import Path
from typing import Any

import numpy as np
import open_clip
import pytest
import torch
from fastapi.testclient import TestClient

from core.jobs.messages import RunJob
from core.tables import Job, Project
from models.frame import Frame
from models.media.images.store import images_of
from tests.api.test_pool_search import listed
from tests.captions import prepared, tiny, weights
from tests.world import World
from workers import weights as uploaded
from workers.execution.runner import run_job
from workers.jobs.context import sessions
from workers.jobs.stores import open_store
from workers.look_up import handler


def searched(http: TestClient, world: World, project: Project, words: str) -> int:
    """The job of a search, run in this process."""
    url = f"/api/projects/{project.id}/examples/by-words"
    response = http.post(url, json={"words": words}, headers=world.caller().headers)
    assert response.status_code == 202, response.text
    return run(world, int(response.json()["id"]))


def run(world: World, job_id: int) -> int:
    job = world.session.get_one(Job, job_id, populate_existing=True)
    world.session.commit()
    run_job(RunJob.of(job), handler)
    return job_id


@torch.no_grad()
def cosines(world: World, project: Project, network: Any, words: str, count: int) -> Any:
    """How well the network itself thinks that the words go with each image."""
    store = images_of(open_store(world.storage, project.id, Frame(8), count))
    pixels = torch.from_numpy(store[0:count]).permute(0, 3, 1, 2).float() / 255
    pixels = torch.nn.functional.interpolate(pixels, (32, 32), mode="bicubic", antialias=True)
    scaled = (pixels.clip(0, 1) * 255).permute(0, 2, 3, 1).numpy()
    images = network.encode_image(prepared(scaled), normalize=True)
    tokens = open_clip.SimpleTokenizer(context_length=16)([words])
    return (images @ network.encode_text(tokens, normalize=True)[0]).numpy()


def found(http: TestClient, world: World, project: Project, job: int) -> list[tuple[int, float]]:
    """Pool indices and cosines, in the order of the list."""
    items = listed(http, project, world.caller(), similar_file=job, limit=100)["items"]
    return [(one["pool_index"], one["similarity"]) for one in items]


def agrees(items: list[tuple[int, float]], expected: Any) -> None:
    assert sorted(index for index, _ in items) == list(range(len(expected)))
    values = [value for _, value in items]
    assert values == sorted(values, reverse=True)
    np.testing.assert_allclose(values, expected[[index for index, _ in items]], atol=1e-4)


def test_words_find_what_a_network_of_captions_sees(
    http: TestClient, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, admin = world.project(images=30), world.caller()
    url = f"/api/projects/{project.id}/examples/by-words"
    assert http.get(url, headers=admin.headers).json() == {"weights": None}
    refused = http.post(url, json={"words": "a dog"}, headers=admin.headers)
    assert (refused.status_code, refused.json()["code"]) == (409, "no_caption_weights")
    network = tiny()
    sent = http.post(
        "/api/weights",
        params={"filename": "b.safetensors", "library": "open_clip", "architecture": "ViT-B-32"},
        content=weights(network),
        headers=admin.headers,
    )
    assert sent.status_code == 201, sent.text
    # Those that nobody has looked at may be of anything.
    assert http.get(url, headers=admin.headers).json() == {"weights": None}
    uploaded.check_all(sessions(), world.storage)
    assert http.get(url, headers=admin.headers).json() == {"weights": "b"}

    # No round has begun, and no model has features.
    job = searched(http, world, project, "  a light image ")
    agrees(found(http, world, project, job), cosines(world, project, network, "a light image", 30))

    # What is imported later is found, too, and nothing is seen twice.
    world.add_images(project, 4)
    world.session.commit()
    (file,) = (world.storage.features(project.id) / "captioned").glob("*.npy")
    seen = np.load(file)
    later = searched(http, world, project, "something else")
    np.testing.assert_array_equal(np.load(file)[:30], seen)
    other = cosines(world, project, network, "something else", 34)
    agrees(found(http, world, project, later), other)

    # Where all is seen, the file, which may be of gigabytes, stays as it is.
    made = file.stat().st_mtime_ns
    agrees(found(http, world, project, searched(http, world, project, "something else")), other)
    assert file.stat().st_mtime_ns == made

    # Who stops in the middle of taking over what was seen begins that anew.
    def half(source: Path, target: Path) -> None:
        target.write_bytes(source.read_bytes()[: source.stat().st_size // 2])
        raise OSError("the machine went away")

    world.add_images(project, 2)
    world.session.commit()
    with monkeypatch.context() as patched:
        patched.setattr("shutil.copyfile", half)
        stopped = searched(http, world, project, "something else")
    retried = http.post(f"/api/jobs/{stopped}/retry", headers=admin.headers)
    assert retried.status_code == 200, retried.text
    other = cosines(world, project, network, "something else", 36)
    agrees(found(http, world, project, run(world, stopped)), other)

    again = http.post(url, json={"words": "  "}, headers=admin.headers)
    assert again.status_code == 422
    texts = world.texts(["a dog"])
    url = f"/api/projects/{texts.id}/examples/by-words"
    assert http.get(url, headers=admin.headers).json() == {"weights": None}
    refused = http.post(url, json={"words": "dog"}, headers=admin.headers)
    assert (refused.status_code, refused.json()["code"]) == (400, "wrong_medium")
