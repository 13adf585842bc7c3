"""What people say of the checks of a certificate, and what is made of it later."""

import uuid
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import insert, select, update

from core.artifacts.certificates import NO_CLASS, OTHER_CLASSES
from core.states import CertificateState, ExampleState, Source
from core.tables import Annotation, Certificate, CertificateLot, Example, Query, WebhookEvent
from core.tasks.classification import stored_class
from tests.api.test_certificates import Scene
from tests.api.test_labeling import lease, send, verdict
from tests.certificates import add_certificate
from tests.world import World


def wrong_in(told: Any) -> tuple[int, int]:
    """How many checks of a certificate are answered, and of how many the model was wrong."""
    return told["answered"], sum(lot["wrong"] for lot in told["lots_of"])


def test_what_is_corrected_of_a_check_counts_as_it_is_now(http: TestClient, world: World) -> None:
    scene = Scene(http, world, images=304)
    certificate = add_certificate(world, scene.project, CertificateState.ASKING, passed=False)
    scene.swept(certificate.id)
    given = lease(http, scene.admin, scene.project, 20)["items"]
    cat = [verdict(one["query_id"], "label", class_id=scene.cat.id) for one in given]
    send(http, scene.admin, scene.project, *cat)
    assert wrong_in(scene.swept(certificate.id)) == (20, 0)
    # Whoever has answered goes back to one; of another a reviewer says last what it is.
    again = {"class_id": scene.dog.id, "supersedes": cat[0]["key"]}
    send(http, scene.admin, scene.project, verdict(given[0]["query_id"], "label", **again))
    scene.say([given[1]["example_id"]], scene.dog.id)
    assert wrong_in(scene.swept(certificate.id)) == (20, 2)
    scene.say([given[0]["example_id"]], scene.cat.id)
    assert wrong_in(scene.swept(certificate.id)) == (20, 1)
    # What is taken back is asked about again, and till then neither right nor wrong.
    back = verdict(given[2]["query_id"], "skip", supersedes=cat[2]["key"])
    send(http, scene.admin, scene.project, back)
    assert wrong_in(scene.swept(certificate.id)) == (19, 1)
    asked = select(Query.id).where(Query.example_id == given[2]["example_id"], ~Query.done)
    assert world.session.scalars(asked).one() != given[2]["query_id"]


def test_nobody_is_waited_for_where_another_model_has_labeled(
    http: TestClient, world: World
) -> None:
    scene = Scene(http, world, images=304)
    certificate = add_certificate(world, scene.project, CertificateState.ASKING, passed=False)
    scene.swept(certificate.id)
    example = world.session.get_one(Example, certificate.observations[0]["example_id"])
    other = add_certificate(world, scene.project, CertificateState.APPLIED)
    lots = select(CertificateLot.id).where(CertificateLot.certificate_id == other.id)
    label = stored_class(scene.cat.id)
    world.session.execute(
        insert(Annotation).values(
            **{"project_id": scene.project.id, "example_id": example.id, "source": Source.MODEL},
            **{"lot_id": world.session.scalars(lots.limit(1)).one(), "probability": 0.9},
            **{"client_key": uuid.uuid4(), "seconds": 0, "cost": 0, "counted": True},
            **{"verdict": "label", "label": label},
        )
    )
    example.state, example.label = ExampleState.LABELED, label
    world.session.execute(update(Query).where(Query.example_id == example.id).values(done=True))
    world.session.commit()
    assert wrong_in(scene.swept(certificate.id)) == (1, 1)
    assert certificate.observations[0]["outcome"] == "unsure"


def answered(scene: Scene, certificate: Certificate, dogs: int = 0) -> list[int]:
    """Everybody answers as the model says, but for some; ids of what it was right of."""
    while scene.swept(certificate.id)["state"] == "asking":
        draws = [one for one in certificate.observations if one["outcome"] == "waiting"]
        ids = [one["example_id"] for one in draws]
        scene.say(ids[dogs:], scene.cat.id)
        if dogs:
            scene.say(ids[:dogs], scene.dog.id)
        dogs = 0
    assert certificate.state is CertificateState.READY
    return [one["example_id"] for one in certificate.observations if one["outcome"] == "right"]


def told(world: World) -> list[str]:
    """What webhooks are told of certificates: what has come of them, and nothing on the way."""
    kinds = select(WebhookEvent.kind).where(WebhookEvent.kind.startswith("certificate."))
    return [
        kind.removeprefix("certificate.")
        for kind in world.session.scalars(kinds.order_by(WebhookEvent.id))
    ]


@pytest.mark.parametrize("wrong", [-1, 1, 1000], ids=["for the better", "one", "all"])
def test_what_is_corrected_before_it_is_applied_counts(
    http: TestClient, world: World, wrong: int
) -> None:
    scene = Scene(http, world, images=304)
    certificate = add_certificate(world, scene.project, CertificateState.ASKING, passed=False)
    right = answered(scene, certificate, dogs=1 if wrong < 0 else 0)
    before = scene.call("get", f"/{certificate.id}").json()
    if wrong < 0:
        (doubted,) = [one for one in certificate.observations if one["outcome"] == "wrong"]
        scene.say([doubted["example_id"]], scene.cat.id)
    else:
        scene.say(right[:wrong], scene.dog.id)
    found = scene.done("apply", certificate.id)
    assert wrong_in(found) == (before["answered"], len(right[: max(0, wrong)]))
    if wrong < 0:
        assert (found["state"], found["auto"], found["warnings"]) == ("applied", before["auto"], [])
        assert told(world) == ["ready", "applied"]
        return
    # Nothing is labeled that was not shown; where more checks can help, people are asked on.
    assert (found["state"], found["auto"]) == ("asking" if wrong == 1 else "refused", 0)
    assert "decided anew" in found["warnings"][0]
    assert told(world) == ["ready", found["state"]]
    if wrong == 1:
        answered(scene, certificate)
        applied = scene.done("apply", certificate.id)
        assert (applied["state"], wrong_in(applied)[1]) == ("applied", 1)
        assert applied["answered"] > before["answered"]
        assert told(world) == ["ready", "asking", "ready", "applied"]


@pytest.mark.parametrize("state", ["ready", "applying", "asking"])
def test_nothing_is_promised_of_a_class_that_nobody_could_name(
    http: TestClient, world: World, state: str
) -> None:
    scene = Scene(http, world, images=304)
    begun = CertificateState.ASKING if state == "asking" else CertificateState.READY
    certificate = add_certificate(
        world, scene.project, begun, classes=[NO_CLASS] * 300, passed=state != "asking"
    )
    if state == "applying":
        assert scene.call("post", f"/{certificate.id}/apply").status_code == 202
    url, headers = f"/api/projects/{scene.project.id}", scene.admin.headers
    kept = [{"id": one.id, "name": f"a {one.name}"} for one in (scene.cat, scene.dog)]
    # What classes are called changes nothing.
    for classes, now in ((kept, state), ([*kept, {"name": "turtle"}], "refused")):
        changed = http.patch(url, json={"classes": classes}, headers=headers)
        assert changed.status_code == 200, changed.text
        if state == "asking":
            told = scene.swept(certificate.id)
            assert told["state"] == now
    if state == "ready":
        assert scene.code("post", f"/{certificate.id}/apply") == (409, "class_added")
    else:
        told = scene.swept(certificate.id)
        assert (told["state"], told["refused"]) == ("refused", OTHER_CLASSES["class_added"])
