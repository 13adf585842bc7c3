"""Webhooks are told what happened: once more rather than not at all, and only where they may be."""

import base64
import json
import re
import secrets
import socket
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, select, update
from standardwebhooks import Webhook as Verifier
from standardwebhooks import WebhookVerificationError

from core import settings
from core.jobs import queue
from core.jobs.messages import DeliverWebhooks
from core.lifecycle import (
    claim_job,
    finish_job,
    move_certificate,
    move_project,
    move_round,
    new_job,
)
from core.states import (
    CertificateState,
    DeliveryFault,
    EventKind,
    JobKind,
    JobState,
    ProjectState,
    RoundState,
    SwitchedOff,
)
from core.tables import Audit, Certificate, Delivery, Project, Webhook, WebhookEvent
from core.webhooks import note_certificate
from tests.processes import Hold, eventually, free_port, worker
from tests.receiver import Receiver, drip, endless, receiver, status
from tests.world import World
from workers.certificates.observing import refuse
from workers.webhooks.delivery import HOLDS_UP, MOST_ATTEMPTS, deliver


@pytest.fixture(autouse=True)
def _allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before the installation reads its settings."""
    monkeypatch.setenv("KARAT_WEBHOOK_ALLOW", "127.0.0.1")
    monkeypatch.setenv("KARAT_WEBHOOK_SECONDS", "30")
    monkeypatch.setenv("KARAT_PUBLIC_URL", "https://karat.example.org/")


@pytest.fixture
def there() -> Iterator[Receiver]:
    with receiver() as found:
        yield found


class Hooks:
    """A project with a webhook."""

    def __init__(
        self, world: World, url: str, *events: EventKind, everywhere: bool = False
    ) -> None:
        self.world, self.session = world, world.session
        self.project = world.project(state=ProjectState.RUNNING)
        self.secret = "whsec_" + base64.b64encode(secrets.token_bytes(32)).decode()
        self.hook = Webhook(
            project_id=None if everywhere else self.project.id,
            url=url,
            events=[kind.value for kind in events or EventKind],
            secret=self.secret,
            active=True,
        )
        self.session.add(self.hook)
        self.session.commit()

    def happen(self, times: int = 1) -> None:
        """The project pauses or goes on, and each is told."""
        for _ in range(times):
            running = self.project.state is ProjectState.RUNNING
            move_project(self.project, ProjectState.PAUSED if running else ProjectState.RUNNING)
            self.session.commit()

    def deliver(self, *, later: bool = False) -> None:
        """What a worker does; ``later`` so much that all that waits is due again."""
        if later:
            self.session.execute(
                update(Delivery)
                .where(Delivery.due_at.is_not(None))
                .values(due_at=datetime.now(UTC) - timedelta(seconds=1))
            )
            self.session.commit()
        deliver(settings.settings())
        self.session.expire_all()

    def deliveries(self) -> list[Delivery]:
        self.session.rollback()
        return list(self.session.scalars(select(Delivery).order_by(Delivery.id)))

    def last(self) -> Delivery:
        return self.deliveries()[-1]


@pytest.fixture
def hooks(world: World, there: Receiver) -> Hooks:
    return Hooks(world, there.url)


def test_what_happens_is_told_in_order_and_signed(hooks: Hooks, there: Receiver) -> None:
    hooks.happen()
    session, project = hooks.session, hooks.project
    job = new_job(JobKind.IMPORT_POOL, project_id=project.id, params={})
    dry = new_job(JobKind.PRUNE, project_id=project.id, params={"dry_run": True})
    session.add_all([job, dry])
    round_ = hooks.world.open_round(project, 0)
    for ended in (job, dry):
        claim_job(ended, "here:1")
        finish_job(ended, JobState.SUCCEEDED, result={"added": 7, "by_split": {}, "done": True})
    move_round(round_, RoundState.CLOSING)
    round_.accuracy = 0.75
    move_round(round_, RoundState.CLOSED)
    session.commit()
    hooks.deliver()
    assert there.kinds == [
        "project.paused", "round.opened", "job.succeeded", "round.closing", "round.closed",
    ]  # fmt: skip
    sequence = [one.payload["sequence"] for one in there.received]
    assert sequence == sorted(set(sequence))
    for one in there.received:
        assert Verifier(hooks.secret).verify(one.body, one.headers) == one.payload
    page = f"https://karat.example.org/projects/{project.id}"
    told = {one.kind: one.payload for one in there.received}
    assert told["round.closed"]["version"] == 1
    assert told["round.closed"]["data"] == {
        "project": {"id": project.id, "name": project.name, "url": page},
        "round": {
            "number": 0, "strategy": "random", "budget": 100.0, "spent": 0.0, "queries": 0,
            "accuracy": 0.75, "url": f"{page}/rounds/0",
        },
    }  # fmt: skip
    job_told = told["job.succeeded"]["data"]["job"]
    assert (job_told["kind"], job_told["numbers"]) == ("import_pool", {"added": 7})
    assert job_told["url"] == f"{page}/jobs/{job.id}"
    with pytest.raises(WebhookVerificationError):
        Verifier(hooks.secret).verify(there.received[0].body + b" ", there.received[0].headers)


def test_a_guarantee_tells_when_people_are_wanted_and_how_it_ended(
    world: World, there: Receiver
) -> None:
    wanted = [kind for kind in EventKind if kind.startswith("certificate.")]
    hooks = Hooks(world, there.url, *wanted)
    project = hooks.project
    certificate = Certificate(
        project_id=project.id,
        state=CertificateState.SCORING,
        settings={"target": 0.05, "confidence": 0.9, "scope": "all"},
        images=300,
    )
    world.session.add(certificate)
    world.session.flush()
    for state in ("asking", "ready", "applying", "applied", "revoking", "revoked"):
        move_certificate(certificate, CertificateState(state))
        note_certificate(certificate)
    world.session.commit()
    hooks.deliver()
    assert there.kinds == [f"certificate.{state}" for state in
                           ("asking", "ready", "applied", "revoked")]  # fmt: skip
    assert there.received[-1].payload["data"] == {
        "project": {
            "id": project.id, "name": project.name,
            "url": f"https://karat.example.org/projects/{project.id}",
        },
        "certificate": {
            "id": certificate.id, "images": 300, "target": 0.05, "confidence": 0.9,
            "refused": None,
            "url": f"https://karat.example.org/projects/{project.id}/certificates/{certificate.id}",
        },
    }  # fmt: skip


def test_a_guarantee_that_cannot_be_had_tells_why(world: World, there: Receiver) -> None:
    hooks = Hooks(world, there.url)
    certificate = Certificate(
        project_id=hooks.project.id, state=CertificateState.ASKING, settings={}, images=300
    )
    world.session.add(certificate)
    world.session.flush()
    refuse(world.session, certificate, "Too many of what people looked at were wrong.")
    note_certificate(certificate)
    world.session.commit()
    hooks.deliver()
    told = there.received[-1].payload
    assert told["type"] == "certificate.refused"
    assert told["data"]["certificate"]["refused"] == certificate.refused


def test_only_what_was_asked_for_and_what_is_committed_is_told(
    world: World, there: Receiver
) -> None:
    hooks = Hooks(world, there.url, EventKind.PROJECT_RESUMED)
    everywhere = Hooks(world, f"{there.url}/all", EventKind.PROJECT_PAUSED, everywhere=True)
    hooks.happen(2)
    move_project(hooks.project, ProjectState.PAUSED)
    world.session.rollback()
    hooks.deliver()
    told = [(one.path, one.kind) for one in there.received]
    assert sorted(told) == [("/karat", "project.resumed"), ("/karat/all", "project.paused")]
    # What nobody asked for does not pile up.
    move_project(everywhere.project, ProjectState.FINISHED)
    world.session.commit()
    hooks.deliver()
    assert world.session.scalar(select(func.count()).select_from(WebhookEvent)) == 2


def test_a_receiver_that_fails_is_tried_again_and_keeps_the_order(
    hooks: Hooks, there: Receiver
) -> None:
    there.answers = [status(500, b"not\0 now"), status(503, Retry_After="600")]
    hooks.happen(2)
    hooks.deliver()
    hooks.deliver()
    assert there.kinds == ["project.paused"], "the pause has begun, and what follows waits"
    first, second = hooks.deliveries()
    assert (first.status, first.fault, first.response) == (500, DeliveryFault.REFUSED, "not  now")
    assert (first.attempts, second.attempts) == (1, 0)
    assert hooks.hook.failing_since is not None
    hooks.deliver(later=True)
    waits = hooks.deliveries()[0].due_at
    assert waits is not None
    left = waits - datetime.now(UTC)
    assert timedelta(minutes=2) < left < timedelta(minutes=4), "it holds up what follows"
    hooks.deliver(later=True)
    assert there.kinds == ["project.paused"] * 3 + ["project.resumed"]
    assert len({one.id for one in there.received}) == 2
    assert len({one.body for one in there.received}) == 2
    assert [one.due_at for one in hooks.deliveries()] == [None, None]
    assert hooks.hook.failing_since is None


@pytest.mark.parametrize("after", ["1800", "1800.0", None], ids=["seconds", "fraction", "date"])
def test_an_event_that_a_receiver_cannot_take_is_overtaken(
    hooks: Hooks, there: Receiver, after: str | None
) -> None:
    date = format_datetime(datetime.now(UTC) + timedelta(minutes=30), usegmt=True)
    there.answers = [status(400)] * HOLDS_UP + [status(503, Retry_After=after or date)]
    hooks.happen(2)
    for _ in range(HOLDS_UP):
        hooks.deliver(later=True)
    assert set(there.kinds) == {"project.paused"}
    hooks.deliver(later=True)
    hooks.deliver()
    assert there.kinds[-1] == "project.resumed"
    assert [one.delivered_at is not None for one in hooks.deliveries()] == [False, True]
    waits = hooks.deliveries()[0].due_at
    assert waits is not None
    assert waits > datetime.now(UTC) + timedelta(minutes=25), "as long as the receiver asked for"


@pytest.mark.parametrize(
    ("answer", "fault", "said"),
    [
        (drip, DeliveryFault.TIMEOUT, "no answer within 0.5 s"),
        (status(302, Location="/else"), DeliveryFault.REDIRECTED, "it redirects to /else"),
        (lambda request: request.connection.close(), DeliveryFault.UNREACHABLE, ""),
    ],
    ids=["slow", "redirects", "hangs up"],
)
def test_what_is_no_answer_is_a_failure(
    hooks: Hooks,
    there: Receiver,
    monkeypatch: pytest.MonkeyPatch,
    answer: Any,
    fault: DeliveryFault,
    said: str,
) -> None:
    if answer is drip:
        monkeypatch.setenv("KARAT_WEBHOOK_SECONDS", "0.5")
        settings.settings.cache_clear()
    there.answers = [answer]
    hooks.happen()
    hooks.deliver()
    last = hooks.last()
    assert last.fault is fault
    assert said in str(last.detail)
    assert len(there.received) == 1, "a redirect is not followed"
    assert last.due_at is not None


def test_no_proxy_is_used(hooks: Hooks, there: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "all_proxy"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{free_port()}")
    hooks.happen()
    hooks.deliver()
    assert there.kinds == ["project.paused"]


def test_of_a_long_answer_the_beginning_is_kept(hooks: Hooks, there: Receiver) -> None:
    there.answers = [endless]
    hooks.happen()
    hooks.deliver()
    last = hooks.last()
    assert last.delivered_at is not None
    assert last.response is not None
    assert len(last.response) <= 500
    assert last.response.startswith("more of this")


def test_a_receiver_that_was_away_gets_what_it_missed(world: World) -> None:
    port = free_port()
    hooks = Hooks(world, f"http://127.0.0.1:{port}/")
    hooks.happen(2)
    hooks.deliver()
    assert hooks.deliveries()[0].fault is DeliveryFault.UNREACHABLE
    with receiver(port) as back:
        hooks.deliver(later=True)
    assert back.kinds == ["project.paused", "project.resumed"]


def test_a_clock_set_back_holds_nothing_up(hooks: Hooks, there: Receiver) -> None:
    there.answers = [status(500)]
    hooks.happen(2)
    hooks.deliver()
    failed, waits = hooks.deliveries()
    assert failed.due_at is not None
    assert failed.sent_at is not None
    pause = failed.due_at - failed.sent_at
    for one in (failed, waits):
        for name in ("sent_at", "due_at"):
            if (at := getattr(one, name)) is not None:
                setattr(one, name, at + timedelta(hours=1))
    hooks.session.commit()
    hooks.deliver()
    again, next_ = hooks.deliveries()
    assert again.due_at is not None
    assert again.sent_at is not None
    assert again.due_at - again.sent_at == pause
    assert again.sent_at <= datetime.now(UTC)
    assert next_.sent_at is None
    assert next_.due_at is not None
    assert next_.due_at <= datetime.now(UTC)
    hooks.deliver(later=True)
    assert there.kinds == ["project.paused", "project.paused", "project.resumed"]


@pytest.mark.parametrize(
    "url", ["http://localhost:{}/", "http://2130706433:{}/", "http://[::1]:{}/"]
)
def test_machines_that_are_not_public_are_not_called(
    world: World,
    there: Receiver,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    url: str,
) -> None:
    monkeypatch.delenv("KARAT_WEBHOOK_ALLOW")
    settings.settings.cache_clear()
    port = there.url.split(":")[2].split("/")[0]
    hooks = Hooks(world, url.format(port))
    hooks.happen()
    hooks.deliver()
    assert hooks.last().fault is DeliveryFault.NOT_ALLOWED
    assert there.received == []
    # What a name means inside is for the operator, and not for whoever makes a webhook.
    assert hooks.last().detail == "it has no public address"
    assert re.search(r"(localhost|2130706433|::1) is (127\.0\.0\.1|::1)", caplog.text)


def test_the_address_that_was_looked_at_is_the_one_that_is_called(
    world: World, there: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that means another machine at the second look gains nothing."""
    looks: list[str] = []
    system = socket.getaddrinfo

    def rebinding(host: Any, *rest: Any, **named: Any) -> Any:
        if host != "hooks.example.org":
            return system(host, *rest, **named)
        looks.append(host)
        return system("127.0.0.1" if len(looks) == 1 else "127.0.0.2", *rest, **named)

    port = there.url.split(":")[2].split("/")[0]
    hooks = Hooks(world, f"http://hooks.example.org:{port}/karat?key=a%20b")
    hooks.happen()
    monkeypatch.setattr(socket, "getaddrinfo", rebinding)
    hooks.deliver()
    (came,) = there.received
    assert came.headers["host"] == f"hooks.example.org:{port}"
    assert came.path == "/karat?key=a%20b"
    assert looks == ["hooks.example.org"]


def test_a_name_that_nobody_answers_for_does_not_hold_up_the_worker(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    given_up, over = threading.Event(), threading.Event()
    system = socket.getaddrinfo

    def silent(host: Any, *rest: Any, **named: Any) -> Any:
        if host != "hooks.example.org":
            return system(host, *rest, **named)
        given_up.wait(30)
        over.set()
        raise socket.gaierror("nobody answers")

    monkeypatch.setenv("KARAT_WEBHOOK_SECONDS", "0.5")
    settings.settings.cache_clear()
    hooks = Hooks(world, "http://hooks.example.org/")
    hooks.happen()
    monkeypatch.setattr(socket, "getaddrinfo", silent)
    hooks.deliver()
    assert not over.is_set()
    given_up.set()
    assert hooks.last().fault is DeliveryFault.TIMEOUT


def test_one_that_fails_for_days_is_switched_off_and_goes_on_when_it_is_mended(
    hooks: Hooks, there: Receiver, http: TestClient
) -> None:
    there.answers = [status(500)] * MOST_ATTEMPTS
    hooks.happen()
    waited = timedelta()
    for attempt in range(MOST_ATTEMPTS):
        if attempt == MOST_ATTEMPTS - 1:
            hooks.hook.failing_since = datetime.now(UTC) - timedelta(days=2)
            hooks.session.commit()
        hooks.deliver(later=True)
        told = hooks.last()
        if told.due_at is not None and told.sent_at is not None:
            waited += told.due_at - told.sent_at
    # Pauses are a fifth more or less.
    assert timedelta(days=2) * 0.8 < waited < timedelta(days=2) * 1.3
    assert len(there.received) == MOST_ATTEMPTS
    assert hooks.last().due_at is None
    assert (hooks.hook.active, hooks.hook.off_reason) == (False, SwitchedOff.FAILING)
    deed = hooks.session.scalars(select(Audit).where(Audit.object_type == "webhook")).one()
    assert (deed.verb, deed.actor_id, deed.object_id) == ("switch_off", None, hooks.hook.id)
    admin = hooks.world.caller()
    path = f"/api/projects/{hooks.project.id}"
    (warning,) = http.get(path, headers=admin.headers).json()["warnings"]
    assert "webhook to 127.0.0.1" in warning
    problems = http.get("/api/admin/workers", headers=admin.headers).json()["problems"]
    assert "webhook_off" in [one["code"] for one in problems]
    on = http.patch(
        f"/api/webhooks/{hooks.hook.id}", json={"active": True}, headers=admin.headers
    ).json()
    assert (on["active"], on["off_reason"], on["failing_since"]) == (True, None, None)
    hooks.happen()
    hooks.deliver()
    assert there.kinds[-1] == "project.resumed"


def test_one_that_wants_nothing_any_more_is_switched_off_at_once(
    hooks: Hooks, there: Receiver
) -> None:
    there.answers = [status(410)]
    hooks.happen()
    hooks.deliver()
    hooks.happen()
    hooks.deliver(later=True)
    assert len(there.received) == 1
    assert (hooks.hook.active, hooks.hook.off_reason) == (False, SwitchedOff.GONE)


@pytest.mark.parametrize("times", [1, 3])
def test_for_a_day_the_secrets_before_sign(
    hooks: Hooks, there: Receiver, http: TestClient, times: int
) -> None:
    """Also where several are made in that day, as the answer with one of them was lost."""
    admin = hooks.world.caller()
    path = f"/api/webhooks/{hooks.hook.id}/secret"
    *between, new = [http.post(path, headers=admin.headers).json()["secret"] for _ in range(times)]
    hooks.happen()
    hooks.deliver()
    hooks.hook.old_secret_until = datetime.now(UTC) - timedelta(seconds=1)
    hooks.session.commit()
    hooks.happen()
    hooks.deliver()
    during, after = there.received
    for secret in (hooks.secret, *between, new):
        Verifier(secret).verify(during.body, during.headers)
    Verifier(new).verify(after.body, after.headers)
    for secret in (hooks.secret, *between):
        with pytest.raises(WebhookVerificationError):
            Verifier(secret).verify(after.body, after.headers)
    again = http.post(path, headers=admin.headers).json()["secret"]
    hooks.happen()
    hooks.deliver()
    last = there.received[-1]
    for secret in (new, again):
        Verifier(secret).verify(last.body, last.headers)
    with pytest.raises(WebhookVerificationError):
        Verifier(hooks.secret).verify(last.body, last.headers)


def test_a_worker_killed_between_sending_and_noting_tells_it_again(
    hooks: Hooks, there: Receiver, tmp_path: Path
) -> None:
    hold = Hold("webhook_deliveries", "NEW.delivered_at IS NOT NULL")
    hooks.happen()
    queue.send(DeliverWebhooks())
    with worker("web", tmp_path / "web.log") as process:
        eventually(hold.waiting, "the worker notes that it has sent")
        process.kill()
        process.wait(10)
    hold.forget()
    hold.let_go()
    assert (hooks.last().attempts, hooks.last().delivered_at) == (1, None)
    hooks.deliver()
    assert len(there.received) == 1, "another worker may still be at it"
    hooks.deliver(later=True)
    first, again = there.received
    assert (first.id, first.body) == (again.id, again.body)
    assert (hooks.last().attempts, hooks.last().due_at) == (2, None)
    log = (tmp_path / "web.log").read_text()
    assert hooks.secret not in log
    assert there.url not in log


def test_a_copy_tells_nobody(
    hooks: Hooks, there: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    from workers.celery_tasks.deliver_webhooks import deliver_webhooks

    monkeypatch.setenv("KARAT_WEBHOOKS", "false")
    settings.settings.cache_clear()
    hooks.happen()
    deliver_webhooks({})
    assert there.received == []
    assert not hooks.deliveries()
    hooks.happen()
    events = select(WebhookEvent).order_by(WebhookEvent.id)
    old = hooks.session.scalars(events).first()
    assert old is not None
    old.at = datetime.now(UTC) - timedelta(days=31)
    hooks.session.commit()
    deliver_webhooks({})
    assert len(hooks.session.scalars(events).all()) == 1


def test_what_is_too_old_is_told_to_nobody(hooks: Hooks, there: Receiver) -> None:
    hooks.happen(2)
    hooks.session.execute(update(WebhookEvent).values(at=datetime.now(UTC) - timedelta(days=31)))
    hooks.happen()
    hooks.deliver()
    assert there.kinds == ["project.paused"]
    assert hooks.session.scalar(select(func.count()).select_from(WebhookEvent)) == 1


def test_a_project_takes_its_webhooks_with_it(
    hooks: Hooks, there: Receiver, http: TestClient
) -> None:
    hooks.happen()
    project = hooks.session.get_one(Project, hooks.project.id)
    admin = hooks.world.caller()
    there.answers = [status(500)]
    hooks.deliver()
    path = f"/api/projects/{project.id}"
    assert http.delete(path, headers=admin.headers).status_code == 204
    hooks.deliver(later=True)
    assert len(there.received) == 1
    for table in (Webhook, WebhookEvent, Delivery):
        assert hooks.session.scalar(select(func.count()).select_from(table)) == 0


def test_what_is_shown_of_a_delivery_is_what_was_sent(
    hooks: Hooks, there: Receiver, http: TestClient
) -> None:
    admin = hooks.world.caller()
    path = f"/api/webhooks/{hooks.hook.id}"
    made = http.post(f"{path}/test", headers=admin.headers)
    assert made.status_code == 202
    assert queue.waiting("web") == 1
    hooks.deliver()
    (told,) = http.get(f"{path}/deliveries", headers=admin.headers).json()["items"]
    (came,) = there.received
    assert came.kind == "webhook.test"
    assert told["payload"] == json.loads(came.body)
    assert (told["message_id"], told["state"], told["status"]) == (came.id, "delivered", 204)
    again = http.post(f"{path}/deliveries/{told['id']}/redeliver", headers=admin.headers)
    assert again.status_code == 202
    hooks.deliver()
    assert there.received[1].id == came.id
    items = http.get(f"{path}/deliveries", headers=admin.headers).json()["items"]
    assert [one["id"] for one in items] == [again.json()["id"], told["id"]]
