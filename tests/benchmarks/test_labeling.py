"""The load benchmark: what it counts, and that it runs."""

import asyncio
import json
import sys
from pathlib import Path

import pytest

from benchmarks import labeling
from benchmarks.http_load import HttpConnection, Log, Measured
from benchmarks.tally import Tally


def test_a_task_of_two_clients_is_a_duplicate_and_one_shown_again_is_none() -> None:
    tally = Tally()
    for client, task in ((0, 1), (1, 2), (0, 1), (1, 3)):
        tally.handed(client, task)
    assert tally.duplicates == 0

    tally.handed(1, 1)
    tally.handed(2, 1)
    assert tally.duplicates == 1

    tally.answered(3, "key")
    tally.handed(1, 3)
    assert tally.duplicates == 2


def test_an_answer_is_lost_unless_it_is_stored_once() -> None:
    tally = Tally()
    for task, key in enumerate(("once", "never", "twice")):
        tally.answered(task, key)
    assert tally.lost(["once", "twice", "twice", "of somebody else"]) == 2


def test_a_server_that_closes_connections_or_goes_away_is_endured() -> None:
    answered = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        answered.append(head.split()[1].decode())
        writer.write(b"HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\nok")
        await writer.drain()
        writer.close()

    async def ask() -> list[tuple[int, bytes]]:
        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        connection = HttpConnection(server.sockets[0].getsockname()[1], {}, kept=False)
        found = [await connection.get(f"/{number}") for number in range(3)]
        server.close()
        await server.wait_closed()
        return [*found, await connection.get("/nobody")]

    assert asyncio.run(ask()) == [(201, b"ok")] * 3 + [(0, b"")]
    assert answered == ["/0", "/1", "/2"]


def test_percentiles_are_of_the_kind_and_the_time_that_are_asked_for() -> None:
    log = Log()
    log.requests["next"][0].extend([1.0, 9.0])
    log.requests["next"][1].extend([0.010, 0.030])
    log.requests["submit"][0].append(9.0)
    log.requests["submit"][1].append(0.500)
    log.loops.extend([2.0, 9.0, 9.5])
    measured = Measured(1, 10.0, log)
    assert measured.percentile(0.5, "next") == pytest.approx(20)
    assert measured.percentile(1.0) == pytest.approx(500)
    assert measured.percentile(1.0, None, 0.0, 5.0) == pytest.approx(10)
    assert measured.loops_per_s(5.0, 10.0) == pytest.approx(2 / 5)


def test_it_measures_a_real_server_and_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = "--clients 2,4 --seconds 1 --queries 20000 --alone --json"
    file = tmp_path / "out.json"
    monkeypatch.setattr(sys, "argv", ["labeling", *arguments.split(), str(file)])
    labeling.main()

    report = json.loads(file.read_text())
    assert report["answers"] > 0
    assert (report["lost"], report["double_leases"], report["errors"]) == (0, 0, {})
    for level in report["levels"]:
        assert level["processor_ms"] > 0
        assert [len(found) for found in level["windows"]] == [2]
        assert all(memory > 10 for _, memory in level["memory_mb"][0])
    assert "0 lost, 0 leased twice" in capsys.readouterr().out
