"""What the client makes of answers that Karat does not give, from a server that says them."""

import json
import os
import pickle
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any, cast

import pytest

from karat import Client, KaratError
from karat.client.project import ProjectClient
from karat.client.resources import Job
from karat.commands.connection import remedy
from karat.commands.exports import receiving
from karat.commands.imports import show_plan
from tests.receiver import Answer, Receiver, receiver, status


@pytest.fixture
def there() -> Iterator[Receiver]:
    with receiver() as found:
        yield found


@pytest.fixture
def client(there: Receiver) -> Iterator[Client]:
    with Client(there.url, "karat_token", retry_seconds=10) as made:
        yield made


def says(content: str, code: int = 200, kind: str = "application/json") -> Answer:
    return status(code, content.encode(), Content_Type=kind)


def hang_up(_: BaseHTTPRequestHandler) -> None:
    """No answer at all."""


def cut_off(request: BaseHTTPRequestHandler) -> None:
    """The beginning of an answer."""
    request.send_response(200)
    request.send_header("Content-Length", "100")
    request.end_headers()
    request.wfile.write(b"id,name")


@pytest.mark.parametrize("code", [502, 504])
def test_what_a_proxy_may_have_passed_on_is_not_sent_twice(
    client: Client, there: Receiver, code: int
) -> None:
    there.answers = [status(code), says("{}")]
    with pytest.raises(KaratError, match="may have been done") as caught:
        client.webhooks.rotate_secret(1)
    assert (caught.value.code, caught.value.status) == ("unexpected", code)
    assert len(there.received) == 1


def test_what_a_proxy_forbids_is_told_as_its_own(client: Client, there: Receiver) -> None:
    there.answers = [says("<html>", 403, "text/html")]
    with pytest.raises(KaratError) as caught:
        client.version()
    advice = remedy(caught.value)
    assert "proxy" in advice
    assert "role" not in advice


@pytest.mark.parametrize(
    ("code", "call"),
    [
        (502, Client.version),
        (504, lambda client: client.revoke_token(1)),
        (504, lambda client: client.cancel_job(1)),
        (503, lambda client: client.retry_job(1)),
    ],
)
def test_what_was_not_done_or_may_be_done_twice_is_sent_again(
    client: Client, there: Receiver, code: int, call: Callable[[Client], object]
) -> None:
    there.answers = [status(code), says('{"version": "1"}')]
    call(client)
    assert len(there.received) == 2


def problem(code: str, number: int = 503, **headers: str) -> Answer:
    said = f'{{"code": "{code}", "detail": "It is away."}}'.encode()
    return status(number, said, Content_Type="application/problem+json", **headers)


def test_what_passes_is_waited_for_and_what_somebody_has_to_mend_is_told_at_once(
    client: Client, there: Receiver
) -> None:
    there.answers = [problem("location_unavailable", Retry_After="5"), says('{"version": "1"}')]
    client.version()
    there.answers = [problem("location_denied"), says("{}")]
    with pytest.raises(KaratError) as caught:
        client.version()
    assert (caught.value.code, caught.value.status) == ("location_denied", 503)
    assert len(there.received) == 3


@pytest.mark.parametrize("first", [status(504), hang_up])
@pytest.mark.parametrize(("code", "number"), [("not_found", 404), ("plan_discarded", 409)])
def test_what_an_earlier_try_has_removed_is_removed(
    client: Client, there: Receiver, first: Answer, code: str, number: int
) -> None:
    there.answers = [first, problem(code, number)]
    client.revoke_token(1)
    assert len(there.received) == 2


@pytest.mark.parametrize(
    "answers",
    [
        [problem("not_found", 404)],
        [status(503), problem("not_found", 404)],
        [status(504), problem("scope_required", 403)],
    ],
)
def test_what_no_try_has_removed_is_told(
    client: Client, there: Receiver, answers: list[Answer]
) -> None:
    there.answers = answers
    with pytest.raises(KaratError, match="It is away"):
        client.revoke_token(1)


def test_a_plan_is_shown_though_what_was_sent_for_it_stays(
    client: Client, there: Receiver, capsys: pytest.CaptureFixture[str]
) -> None:
    planned = {"id": 7, "kind": "plan_import", "state": "succeeded", "progress": None}
    done = {**planned, "pause": None, "result": {"rows": 2}}
    there.answers = [says('{"name": "pets"}'), says(json.dumps(done)), problem("internal", 500)]
    show_plan(client, client.project(1), cast("Job", planned), as_json=True)
    assert json.loads(capsys.readouterr().out) == {"rows": 2}


def test_an_answer_is_waited_for_as_long_as_a_proxy_waits(there: Receiver) -> None:
    waits = []
    for given in ({}, {"answer_seconds": 2.0}):
        with Client(there.url, "karat_token", **given) as one:
            waits.append(one._transport._http.timeout)
    assert [(wait.connect, wait.read) for wait in waits] == [(5.0, 600.0), (5.0, 2.0)]


@pytest.mark.parametrize("first", [status(503), hang_up])
def test_logs_and_exports_wait_as_all_requests_do(
    client: Client, there: Receiver, tmp_path: Path, first: Answer
) -> None:
    calls: list[Callable[[], str]] = [
        lambda: client.job_log(1),
        lambda: client.download_artifact(1, tmp_path / "file").read_text(),
        lambda: str(next(client.audit_log())["number"]),
    ]
    for call in calls:
        there.answers = [first, says('{"number": 7}')]
        assert "7" in call()
    assert len(there.received) == 6


def test_an_image_that_stays_in_a_bucket_is_fetched_there(client: Client, there: Receiver) -> None:
    pool = ProjectClient(client._transport, 1).pool
    link = there.url.replace("127.0.0.1", "localhost") + "/bee.jpg?signature=secret"
    there.answers = [status(307, Location=link), status(200, b"bee", Content_Type="image/jpeg")]
    assert pool.image(7, size=512) == b"bee"
    asked, followed = there.received
    assert asked.path == "/karat/api/examples/7/image?size=512&original=false"
    # The token is for Karat alone, and a link is for whoever has it.
    assert "authorization" not in followed.headers
    there.answers = [status(307, Location=link), status(403, b"<Error>")]
    with pytest.raises(KaratError, match=r"bee\.jpg answered 403") as caught:
        pool.image(7)
    assert "secret" not in str(caught.value)


def test_patterns_beside_a_table_are_refused_before_anything_is_sent(
    client: Client, there: Receiver
) -> None:
    pool = ProjectClient(client._transport, 1).pool
    for table in ("march.csv", Path("march.csv")):
        with pytest.raises(ValueError, match="leave include out"):
            pool.add("s3://photos", table=table, include=["*.jpg"])
    assert there.received == []


@pytest.mark.parametrize(
    ("state", "call"),
    [
        ("running", lambda client, _: client.wait(1, timeout=0)),
        ("checking", lambda client, _: client.weights.wait(1, timeout=0)),
        ("untried", lambda client, _: client.judges.attempt(1, timeout=0)),
        ("asking", lambda _, project: project.certificates.wait(1, timeout=0)),
        ("applying", lambda _, project: project.certificates.apply(1, timeout=0)),
    ],
)
def test_whatever_takes_too_long_ends_alike(
    client: Client,
    there: Receiver,
    state: str,
    call: Callable[[Client, ProjectClient], object],
) -> None:
    said = {"state": state, "name": "x", "stalled": None, "waiting": 3, "trial": {"tried_at": None}}
    there.answers = [says(json.dumps(said))] * 2
    with pytest.raises(KaratError) as caught:
        call(client, ProjectClient(client._transport, 1))
    assert caught.value.code == "timeout"
    # Which is all that certificates raised.
    assert isinstance(caught.value, TimeoutError)


def test_a_wait_that_is_asked_for_is_kept_where_patience_lasts(
    client: Client, there: Receiver
) -> None:
    there.answers = [status(429, Retry_After="1"), says("{}")]
    client.retry_job(1)
    there.answers = [status(429, Retry_After="60")]
    with pytest.raises(KaratError) as caught:
        client.retry_job(1)
    assert caught.value.status == 429
    assert len(there.received) == 3


def test_a_download_that_breaks_off_is_no_karat_that_is_away(
    client: Client, there: Receiver, tmp_path: Path
) -> None:
    target = tmp_path / "labels.csv"
    target.write_text("before")
    there.answers = [cut_off]
    with pytest.raises(KaratError) as caught:
        client.download_artifact(1, target)
    assert caught.value.code == "broken_off"
    assert (target.read_text(), list(tmp_path.iterdir())) == ("before", [target])


def test_two_exports_to_one_file_each_leave_it_whole(
    client: Client, there: Receiver, tmp_path: Path
) -> None:
    there.answers = [says('{"name": "pets"}')]
    target, project = tmp_path / "labels.csv", client.project(1)
    killed = [tmp_path / f".labels.csv.{when}.part" for when in ("now", "long-ago")]
    for part in killed:
        part.touch()
    os.utime(killed[1], (0, 0))
    there.answers = [says("first", kind="text/csv"), says("second", kind="text/csv")]
    saved: list[str] = []

    def meanwhile(_: int) -> None:
        project.export(target)
        saved.append(target.read_text())

    project.export(target, on_received=meanwhile)
    assert [*saved, target.read_text()] == ["second", "first"]
    # Of others only what nobody can be writing any more is removed.
    assert sorted(tmp_path.iterdir()) == sorted([target, killed[0]])


def test_a_pipe_is_written_to_and_stays_one(
    client: Client, there: Receiver, tmp_path: Path
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()), daemon=True)
    reader.start()
    there.answers = [says("id,name", kind="text/csv")]
    client.download_artifact(1, pipe)
    reader.join(10)
    assert (read, pipe.is_fifo(), [*tmp_path.iterdir()]) == (["id,name"], True, [pipe])


@pytest.mark.parametrize("mode", ["w", "a"])
def test_a_file_that_somebody_has_open_keeps_what_they_write(
    client: Client,
    there: Receiver,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    mode: str,
) -> None:
    file, link = tmp_path / "all.csv", tmp_path / "stdout"
    there.answers = [says("first\n", kind="text/csv"), says("second\n", kind="text/csv")]
    with file.open(mode) as stream:
        # As /dev/stdout is.
        link.symlink_to(f"/dev/fd/{stream.fileno()}")
        for target in (link, link.readlink()):
            stream.write("theirs\n")
            stream.flush()
            with receiving(target) as (place, _):
                client.download_artifact(1, place)
        stream.write("last\n")
    assert file.read_text().split() == ["theirs", "first", "theirs", "second", "last"]
    assert sorted(tmp_path.iterdir()) == [file, link]
    assert capsys.readouterr().out == ""


def test_a_file_that_is_replaced_keeps_its_mode_and_a_link_stays_one(
    client: Client, there: Receiver, tmp_path: Path
) -> None:
    file, link = tmp_path / "disk" / "labels.csv", tmp_path / "labels.csv"
    file.parent.mkdir()
    file.touch(0o600)
    link.symlink_to(file)
    there.answers = [says("id,name", kind="text/csv")]
    assert client.download_artifact(1, link).is_symlink()
    assert (file.read_text(), file.stat().st_mode & 0o777) == ("id,name", 0o600)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (status(308, b"<html>", Location="https://karat.example.org/api/version"), "karat.example"),
        (status(301, Location="/login?next=1"), "/login"),
        (status(302), "302"),
        (says("<!doctype html>", kind="text/html; charset=utf-8"), "is the address right?"),
        (says("Welcome", kind="text/plain"), "is the address right?"),
    ],
)
def test_what_is_not_karat_is_called_so(
    client: Client, there: Receiver, answer: Answer, said: str
) -> None:
    there.answers = [answer]
    with pytest.raises(KaratError) as caught:
        client.version()
    assert caught.value.code == "unexpected"
    assert there.url in caught.value.detail
    assert said in caught.value.detail
    assert len(there.received) == 1


@pytest.mark.parametrize(
    "answer",
    [status(302, b"<html>", Location="/login"), says("<!doctype html>", kind="text/html")],
)
def test_a_page_is_saved_as_no_download(
    client: Client, there: Receiver, tmp_path: Path, answer: Answer
) -> None:
    target = tmp_path / "labels.csv"
    target.write_text("before")
    for call in (lambda: client.download_artifact(1, target), lambda: client.job_log(1)):
        there.answers = [answer]
        with pytest.raises(KaratError):
            call()
    assert target.read_text() == "before"


@pytest.mark.parametrize("url", ["http://host:port", "http://[::1", "localhost:8080", "https://"])
def test_an_address_that_is_none_is_told_before_anything_is_sent(url: str) -> None:
    with pytest.raises(ValueError, match="is no address"):
        Client(url)


def test_an_error_comes_out_of_another_process_as_it_was() -> None:
    error = KaratError("not_found", "There is none.", field="name", status=404)
    error.add_note("Look there.")
    found = pickle.loads(pickle.dumps(error))
    assert (type(found), str(found)) == (KaratError, "name: There is none.")
    assert vars(found) == vars(error)


@pytest.mark.parametrize(
    ("name", "of_subset", "of_selection"),
    [
        ("kept.csv", "csv", None),
        ("kept.zip", "imagefolder", None),
        ("kept.jsonl", None, "alpaca"),
        ("kept.parquet", "parquet", "parquet"),
        ("kept.TXT", "ids", "ids"),
        ("kept.bin", None, None),
    ],
)
def test_the_ending_of_a_file_tells_its_format(
    client: Client,
    there: Receiver,
    tmp_path: Path,
    name: str,
    of_subset: str | None,
    of_selection: str | None,
) -> None:
    there.answers = [says('{"name": "pets"}')]
    project, path = client.project(1), tmp_path / name
    exports: list[tuple[Callable[[], Path], str | None]] = [
        (lambda: project.export_subset(2, path), of_subset),
        (lambda: project.selection(3).export(path), of_selection),
    ]
    for export, told in exports:
        there.received.clear()
        if told is None:
            with pytest.raises(ValueError, match="tells no format"):
                export()
            assert not there.received
        else:
            export()
            assert f"format={told}&" in there.received[0].path


def test_what_differs_is_asked_for_in_the_largest_pages(client: Client, there: Receiver) -> None:
    page: dict[str, Any] = {"items": [{"example_id": 1}], "next_cursor": None}
    there.answers = [says('{"name": "pets"}'), says(json.dumps(page))]
    assert list(client.project(1).snapshots.changes("a", "b")) == page["items"]
    assert "limit=200" in there.received[1].path
