"""Pools of texts: what is listed, sent, found and said of them."""

import re
import uuid
from hashlib import sha256
from typing import Any
from unicodedata import normalize

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from core.states import ExampleState, ProjectState, Role, Split, Verdict
from core.tables import Annotation, Example, Project
from core.tasks.classification import stored_class
from tests.api.test_labeling import lease, send, verdict
from tests.api.test_pool_search import counted, find, listed
from tests.world import World

TICKETS = (
    "The invoice of March was charged twice. Please refund one.",
    "Where is my parcel? It should have arrived on Monday.",
    "환불이 아직 안 됐어요. 청구서를 확인해 주세요.",
    "def total(rows):\n\treturn sum(rows)  # <b>not</b> a ticket\r\n",
    "Refunds take two weeks, the invoice says. Why? " + "really " * 60,
)


def pool(world: World, contents: tuple[str, ...] = TICKETS, queries: int = 0) -> Project:
    project = world.texts(contents, state=ProjectState.RUNNING if queries else ProjectState.DRAFT)
    if queries:
        world.open_round(project, queries)
    return project


def test_texts_are_listed_with_how_they_begin_and_sent_whole(
    http: TestClient, world: World
) -> None:
    project, admin = pool(world), world.caller()
    items = listed(http, project, admin)["items"]
    assert [one["excerpt"] for one in items] == [text[:300] for text in TICKETS]
    assert {(one["width"], one["height"]) for one in items} == {(None, None)}
    for item, text in zip(items, TICKETS, strict=True):
        sent = http.get(item["image_url"], headers=admin.headers)
        assert sent.content == text.encode()
        assert sent.headers["content-type"] == "text/plain; charset=utf-8"
        assert sent.headers["x-content-type-options"] == "nosniff"
        assert "immutable" in sent.headers["cache-control"]
        known = {**admin.headers, "If-None-Match": sent.headers["etag"]}
        assert http.get(item["image_url"], headers=known).status_code == 304
    first = items[0]["id"]
    for address in (f"{first}/image", f"{first}/image?size=256"):
        refused = http.get(f"/api/examples/{address}", headers=admin.headers)
        assert (refused.status_code, refused.json()["code"]) == (404, "no_picture")
    detail = http.get(f"/api/projects/{project.id}/examples/{first}", headers=admin.headers).json()
    assert detail["excerpt"] == TICKETS[0]
    assert detail["sha256"] == sha256(TICKETS[0].encode()).hexdigest()
    # Whoever has a link reads it without logging in.
    link = http.get(f"/api/examples/{first}/link", headers=admin.headers).json()["url"]
    linked = http.get(link)
    # No browser shows it once the link has ended.
    assert (linked.text, linked.headers["cache-control"]) == (TICKETS[0], "private, no-cache")
    stranger = world.caller(Role.ANNOTATOR)
    assert http.get(items[0]["image_url"], headers=stranger.headers).status_code == 404


def test_a_text_is_leased_whole_unless_it_is_very_long(http: TestClient, world: World) -> None:
    longest = "é" * 20_000
    project = pool(world, (TICKETS[0], longest, longest + "!"), queries=3)
    admin = world.caller()
    items = lease(http, admin, project)["items"]
    assert [one["text"] for one in items] == [TICKETS[0], longest, None]
    assert [one["excerpt"] for one in items] == [TICKETS[0], "é" * 300, "é" * 300]
    assert http.get(items[2]["image_url"], headers=admin.headers).text == longest + "!"
    send(http, admin, project, verdict(items[0]["query_id"]))
    recent = http.get(f"/api/projects/{project.id}/labeling/recent", headers=admin.headers).json()
    assert [one["excerpt"] for one in recent["items"]] == [TICKETS[0]]


def test_guides_reviews_duplicates_and_cards_show_excerpts(http: TestClient, world: World) -> None:
    project, admin = pool(world, queries=2), world.caller()
    billing = world.classes(project)[0]
    items = lease(http, admin, project)["items"]
    send(http, admin, project, verdict(items[0]["query_id"], "label", class_id=billing.id))
    url = f"/api/projects/{project.id}"

    def get(path: str) -> Any:
        response = http.get(f"{url}{path}", headers=admin.headers)
        assert response.status_code == 200, response.text
        return response.json()

    (guide, _) = get("/guides")["classes"]
    assert [one["excerpt"] for one in guide["examples"]] == [TICKETS[0]]
    for one in world.session.scalars(select(Example).where(Example.pool_index.in_((0, 4)))):
        one.duplicates_of = items[0]["example_id"]
    example = world.session.scalars(select(Example).where(Example.pool_index == 2)).one()
    for name, said in (("one", Verdict.OOD), ("two", Verdict.LABEL)):
        world.session.add(
            Annotation(
                project_id=project.id, example_id=example.id, source="import", source_name=name,
                client_key=uuid.uuid4(),
                verdict=said, label=stored_class(billing.id if said is Verdict.LABEL else None),
                seconds=0, cost=0, counted=True,
            )
        )  # fmt: skip
    example.state, example.disputed = ExampleState.LABELED, True
    example.label = stored_class(billing.id)
    world.session.commit()
    (group,) = get("/duplicates")["items"]
    assert [one["excerpt"] for one in group["items"]] == [TICKETS[0], TICKETS[4][:300]]
    leased = http.post(
        f"{url}/reviews/disagreements/lease", json={"n": 4}, headers=admin.headers
    ).json()
    assert [one["excerpt"] for one in leased["items"]] == [TICKETS[2]]
    card = http.get("/api/projects", headers=admin.headers).json()["items"][0]
    assert card["medium"] == "text"
    assert card["excerpts"] == [TICKETS[place] for place in (0, 1, 2, 3)]


SEARCHES: tuple[tuple[str, list[int]], ...] = (
    ("invoice", [0, 4]),
    ("INVOICE refund", [0, 4]),
    ("invoice -charged", [4]),
    ("parcel or charged", [0, 1]),
    ('"the invoice says"', [4]),
    ('"invoice charged"', []),
    # What follows the stem of a word makes it no other word.
    ("환불", [2]),
    ('"환불"', []),
    ("청구서 환불", [2]),
    ("sum", [3]),
    ("nothing of this", []),
    # A letter is a word of its own, and what is excluded is excluded as it stands.
    ("i", []),
    ("invoice -charged-twice", [0, 4]),
    # Whoever types letters, or has typed them, composed or in parts.
    ("ärzte", [5]),
    ('"ärzte und"', [5]),
    ("고양이", [5]),
    ("und -ärzte", []),
    (normalize("NFD", "환불"), [2]),
)


def test_words_find_the_texts_that_have_them(http: TestClient, world: World) -> None:
    project, admin = pool(world), world.caller()
    pool(world)
    world.add_text(project, 5, normalize("NFD", "Ärzte und 고양이들"))
    world.session.commit()
    for search, found in SEARCHES:
        assert find(http, project, admin, search=search) == found, search
        assert counted(http, project, admin, search=search) == {"count": len(found), "exact": True}
    # Words of 40 texts, page by page, beside other filters.
    for index in range(6, 46):
        split = Split.EVALUATION if index % 4 == 0 else Split.POOL
        world.add_text(project, index, f"common words, number {index}", split=split)
    world.session.commit()
    wanted = [index for index in range(6, 46) if index % 4]
    assert find(http, project, admin, search="common number", limit=7) == wanted
    assert find(http, project, admin, search="common", split="evaluation") == [*range(8, 45, 4)]
    assert find(http, project, admin, search="common", name="row 31", split="all") == [30]
    page = listed(http, project, admin, search="common", limit=3)
    assert [one["pool_index"] for one in page["items"]] == wanted[:3]
    held = http.post(
        f"/api/projects/{project.id}/examples/hold-out",
        json={"filters": {"search": "common"}},
        headers=admin.headers,
    ).json()
    assert len(held["example_ids"]) == len(wanted)


@pytest.mark.parametrize(("search", "code"), [("?!", "no_words"), ("-", "no_words")])
def test_a_search_without_words_is_refused(
    http: TestClient, world: World, search: str, code: str
) -> None:
    project, admin = pool(world), world.caller()
    url = f"/api/projects/{project.id}/examples"
    refused = http.get(url, params={"search": search}, headers=admin.headers)
    assert (refused.status_code, refused.json()["code"]) == (400, code)


def test_images_have_no_words_to_search(http: TestClient, world: World) -> None:
    project, admin = world.project(images=2), world.caller()
    url = f"/api/projects/{project.id}/examples"
    refused = http.get(url, params={"search": "cat"}, headers=admin.headers).json()
    assert (refused["code"], refused["field"]) == ("wrong_medium", "search")
    assert "holds images" in refused["detail"]


def test_no_refusal_speaks_of_images(http: TestClient, world: World) -> None:
    project, admin = pool(world), world.caller()
    one = world.session.scalars(select(Example.id).where(Example.pool_index == 0)).one()
    select_one, billing = {"ids": [one]}, world.classes(project)[0]
    asked: tuple[tuple[str, str, dict[str, Any]], ...] = (
        ("GET", "/examples/999", {}),
        ("GET", f"/examples/{one}/neighbours", {}),
        ("GET", "/examples", {"params": {"sort": "similarity"}}),
        ("GET", "/examples", {"params": {"sort": "isolation"}}),
        ("GET", "/examples", {"params": {"similar_to": "999"}}),
        ("GET", "/examples", {"params": {"similar_to": str(one)}}),
        ("GET", "/examples", {"params": {"purity_min": 0.5}}),
        ("POST", "/examples/queue", {"json": select_one}),
        ("POST", "/examples/promote", {"json": {**select_one, "name": "new"}}),
        ("POST", "/examples/look-up", {"content": b"x"}),
        ("PUT", f"/classes/{billing.id}/examples", {"json": {"example_ids": [9]}}),
        ("POST", "/imports", {"params": {"filename": "a.exe"}, "content": b"x"}),
        ("POST", "/imports", {"params": {"filename": "a.csv", "split": "evaluation",
                                         "annotation_column": "x"}, "content": b"x"}),
        ("GET", "/embedding-map/images/0", {}),
        ("GET", "/maps/0/images/0", {}),
        ("POST", "/jobs", {"json": {"kind": "resize"}}),
        ("GET", "/export", {"params": {"format": "yolo"}}),
        ("PATCH", "", {"json": {"settings": {"input_size": 64}}}),
    )  # fmt: skip
    for method, path, more in asked:
        url = f"/api/projects/{project.id}{path}"
        refused = http.request(method, url, headers=admin.headers, **more)
        assert 400 <= refused.status_code < 500, (path, refused.text)
        detail = refused.json()["detail"]
        about = re.search(r"\b(image|picture)s?\b", detail, re.IGNORECASE)
        # What is for images is named as that, beside what the project holds.
        assert about is None or "this project holds texts" in detail, detail


def test_a_project_of_texts_is_spoken_of_as_one(http: TestClient, world: World) -> None:
    project, admin = pool(world, ()), world.caller()
    url = f"/api/projects/{project.id}"
    refused = http.post(f"{url}/start", headers=admin.headers).json()
    assert refused["detail"] == "The pool is empty; import texts first."
    refused = http.get(f"{url}/examples/999", headers=admin.headers).json()
    assert refused["detail"] == "There is no such text, or you have no access to it."
    other = http.post(f"/api/projects/{world.project().id}/start", headers=admin.headers).json()
    assert other["detail"] == "The pool is empty; import images first."


def test_a_project_keeps_its_medium_and_takes_what_serves_it(
    http: TestClient, world: World
) -> None:
    admin = world.caller()

    def send(method: str, path: str, **more: Any) -> Any:
        return http.request(method, f"/api{path}", headers=admin.headers, **more)

    body = {"name": "Mail", "classes": [{"name": "a"}], "medium": "text"}
    made = send("POST", "/projects", json=body).json()
    assert (made["medium"], made["settings"]["model"]["name"]) == ("text", "auto_text")
    assert made["settings"]["input_size"] is None
    url = f"/projects/{made['id']}"
    for settings, sentence in (
        ({"model": {"name": "efficientnet_lite0"}},
         "settings.model.name: model efficientnet_lite0 serves images, and this project holds "
         "texts; choose one of auto_text, minilm, hashed_ngrams"),
        ({"purity": {"name": "clip"}}, "purity clip serves images"),
        ({"input_size": 32}, "settings.input_size: a text has no size in pixels; leave it out."),
        ({"fit": "pad"}, "settings.fit: a text is always seen whole; leave it out."),
    ):  # fmt: skip
        refused = send("PATCH", url, json={"settings": settings})
        assert (refused.status_code, refused.json()["code"]) == (400, "invalid_settings")
        assert sentence in refused.json()["detail"]
    kept = send("PATCH", url, json={"settings": {"model": {"name": "hashed_ngrams"}}}).json()
    assert kept["settings"]["model"]["name"] == "hashed_ngrams"
    assert send("PATCH", url, json={"medium": "image"}).status_code == 422
    images = send("POST", "/projects", json={**body, "name": "Pets", "medium": "image"}).json()
    assert images["settings"]["model"]["name"] == "auto"
    wanted = {"settings": {"model": {"name": "minilm"}}}
    refused = send("PATCH", f"/projects/{images['id']}", json=wanted).json()
    assert "model minilm serves texts, and this project holds images" in refused["detail"]
    assert send("GET", "/settings/defaults", params={"medium": "text"}).json() == made["settings"]


def test_the_catalog_of_a_medium_is_what_serves_it_in_its_words(
    http: TestClient, world: World
) -> None:
    admin = world.caller()
    catalog = {}
    for medium in ("image", "text"):
        found = http.get("/api/algorithms", params={"medium": medium}, headers=admin.headers)
        catalog[medium] = {(one["kind"], one["name"]): one for one in found.json()["items"]}
    assert ("job", "taufe") in catalog["image"].keys() - catalog["text"].keys()
    for key, one in catalog["text"].items():
        assert "text" in one["media"], key
        assert set(one["tasks"]) & {"classification", "instructions"}, key
    prune = catalog["text"]["job", "prune"]
    offered = prune["params_schema"]["properties"]["network"]["enum"]
    assert prune["defaults"]["network"] in offered
    assert "resnet18_small" not in offered
    assert "texts" in catalog["text"]["job", "compare"]["summary"]
    assert "images" in catalog["image"]["job", "compare"]["summary"]


def test_jobs_and_uploads_for_images_are_refused(http: TestClient, world: World) -> None:
    project, admin = pool(world), world.caller()
    url = f"/api/projects/{project.id}"

    def refused(path: str, **more: Any) -> tuple[str, str]:
        answer = http.post(f"{url}{path}", headers=admin.headers, **more)
        assert answer.status_code == 400, answer.text
        return answer.json()["code"], answer.json()["detail"]

    for kind in ("resize", "learn_features", "taufe"):
        code, detail = refused("/jobs", json={"kind": kind})
        assert code == "wrong_medium"
        assert f"job {kind} serves images, and this project holds texts" in detail
    network = {"kind": "relabel", "params": {"network": "cnn_tiny"}}
    assert refused("/jobs", json=network)[0] == "wrong_medium"
    for query, code in (
        ({"filename": "a.png"}, "invalid_upload"),
        ({"filename": "a.csv", "image_column": "x"}, "wrong_medium"),
        ({"filename": "a.csv", "location": "s3://b/c"}, "wrong_medium"),
        ({"filename": "a.txt", "annotation_column": "x"}, "invalid_annotation_column"),
    ):
        assert refused("/imports", params=query, content=b"x")[0] == code, query
    where = {"location": "s3://b/c"}
    assert refused("/imports/bucket", json=where)[0] == "wrong_medium"
    images = world.project()
    answer = http.post(
        f"/api/projects/{images.id}/imports",
        params={"filename": "a.parquet", "text_column": "x"},
        content=b"x",
        headers=admin.headers,
    )
    assert answer.json()["code"] == "wrong_medium"
