"""Traces reach an OpenTelemetry collector, and cost nothing where nobody asked for them."""

import contextlib
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.trace import Span, TracerProvider
from opentelemetry.sdk.trace.sampling import Decision
from opentelemetry.trace import SpanKind

from core.jobs.messages import RunJob
from core.states import JobKind, Role
from core.telemetry import logs, otel, tracing
from tests.conftest import ROOT
from tests.processes import api, eventually, worker
from tests.world import World, png
from workers.advance import scoring
from workers.app import app
from workers.execution import runner
from workers.jobs import context


@dataclass(frozen=True)
class Seen:
    """A span as it arrived."""

    service: str
    name: str
    trace: bytes
    attributes: dict[str, Any]


@dataclass
class Collector:
    """What speaks OTLP over HTTP, as a collector does."""

    url: str = ""
    spans: list[Seen] = field(default_factory=list)

    def named(self, name: str) -> list[Seen]:
        return [span for span in self.spans if span.name == name]


def _values(pairs: Any) -> dict[str, Any]:
    return {
        pair.key: getattr(pair.value, str(pair.value.WhichOneof("value")), None) for pair in pairs
    }


@contextlib.contextmanager
def collector() -> Iterator[Collector]:
    found = Collector()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            content = self.rfile.read(int(self.headers["Content-Length"]))
            assert self.path == "/v1/traces"
            for resource in ExportTraceServiceRequest.FromString(content).resource_spans:
                service = _values(resource.resource.attributes)["service.name"]
                found.spans += [
                    Seen(service, span.name, span.trace_id, _values(span.attributes))
                    for scope in resource.scope_spans
                    for span in scope.spans
                ]
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        found.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield found
        finally:
            server.shutdown()
            thread.join()


def test_a_request_and_the_job_that_it_starts_are_one_trace(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = world.project()
    engineer = world.caller(Role.ENGINEER, project)
    headers = {**engineer.headers, "X-Request-ID": "seen-by-ada"}
    with collector() as traces:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", traces.url)
        monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", "200")
        with api(tmp_path / "api.log") as (_, url), worker("cpu", tmp_path / "cpu.log"):
            path = f"{url}/api/projects/{project.id}/imports?filename=one.png"
            started = httpx.post(path, content=png(1), headers=headers, timeout=60)
            assert started.status_code == 202, started.text
            signed = f"{url}/api/images/1?expires=4102444800&signature=not-for-others"
            assert httpx.get(signed, timeout=60).status_code >= 400
            eventually(
                lambda: traces.named("GET /api/images/{example_id}"), "a link's span arrives"
            )
            eventually(lambda: traces.named("run/import_pool"), "the job's span arrives")
            served = "POST /api/projects/{project_id}/imports"
            eventually(lambda: traces.named(served), "the request's span arrives")
    (request,) = traces.named(served)
    (job,) = traces.named("run/import_pool")
    assert (request.service, job.service) == ("karat-api", "karat-worker")
    assert request.trace == job.trace
    assert request.attributes["karat.request_id"] == "seen-by-ada"
    assert job.attributes["karat.request_id"] == "seen-by-ada"
    assert job.attributes["karat.job_id"] == started.json()["id"]
    (link,) = traces.named("GET /api/images/{example_id}")
    assert link.attributes["http.url"] == f"{url}/api/images/1"
    assert not [one for one in traces.spans if "not-for-others" in str(one.attributes)]
    statements = [span for span in traces.spans if span.attributes.get("db.system")]
    assert {span.service for span in statements if span.trace == job.trace} == {
        "karat-api",
        "karat-worker",
    }
    begun = {request.trace, *(span.trace for span in traces.spans if "api" in span.service)}
    assert {span.trace for span in statements} <= begun, "heartbeats begin no trace"
    assert not traces.named("GET /healthz")


@pytest.mark.parametrize("task", sorted({one["task"] for one in app.conf.beat_schedule.values()}))
def test_what_the_scheduler_sends_again_and_again_begins_no_trace(task: str) -> None:
    found = otel._Beginnings().should_sample(None, 1, f"run/{task}", SpanKind.CONSUMER)
    assert found.decision is Decision.DROP


def test_a_part_that_a_round_takes_itself_leaves_the_rounds_span_its_name(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    del world
    context.sessions()
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    tracing.on.cache_clear()
    inside = logs.job_id.set(None)
    try:
        with TracerProvider().get_tracer("test").start_as_current_span("round") as span:
            runner.run_job(RunJob(job_id=1, kind=JobKind.ADVANCE_ROUND), scoring.Part())
            logs.job_id.set(1)
            runner.run_job(RunJob(job_id=2, kind=JobKind.SCORE_PART), scoring.Part())
        assert isinstance(span, Span)
        assert span.name == "run/advance_round"
        assert dict(span.attributes or {}) == {"karat.job_id": 1}
    finally:
        logs.job_id.reset(inside)
        tracing.on.cache_clear()


def test_nothing_is_imported_where_nobody_asked(world: World) -> None:
    del world
    code = (
        "import sys; from core.telemetry import tracing; tracing.begin('karat-api');"
        "from api.main import create_app; create_app(); import workers.app, workers.jobs.context;"
        "workers.jobs.context.sessions();"
        "sys.exit(any(name.startswith(('opentelemetry.sdk', 'opentelemetry.instrumentation',"
        " 'authlib', 'joserfc')) for name in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False)
    assert done.returncode == 0
