"""What ``core.telemetry.tracing`` does where traces are asked for; needs the extra ``otel``."""

import os
from collections.abc import Sequence
from typing import Final

from opentelemetry import baggage, trace
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.instrumentation.celery import CeleryInstrumentor
from opentelemetry.instrumentation.sqlalchemy import SQLAlchemyInstrumentor
from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from opentelemetry.sdk.trace import Span, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.sampling import Decision, ParentBased, Sampler, SamplingResult
from opentelemetry.trace import Link, SpanKind, TraceState
from opentelemetry.util.types import Attributes
from sqlalchemy import Engine

from core.jobs.messages import TICKS
from core.telemetry import logs

REQUEST: Final = "karat.request_id"
"""Attribute of each span, and baggage by which it reaches the workers."""
_JOB: Final = "karat.job_id"
_IDLE: Final = frozenset(f"run/{message.task}" for message in TICKS)


class _Beginnings(Sampler):
    """A trace begins with a request or a task, and not with a heartbeat or a look for work."""

    def should_sample(
        self,
        parent_context: Context | None,
        trace_id: int,
        name: str,
        kind: SpanKind | None = None,
        attributes: Attributes = None,
        links: Sequence[Link] | None = None,
        trace_state: TraceState | None = None,
    ) -> SamplingResult:
        """Keep or drop a span that has no parent."""
        del parent_context, trace_id, links
        begins = kind in {SpanKind.SERVER, SpanKind.CONSUMER} and name not in _IDLE
        decision = Decision.RECORD_AND_SAMPLE if begins else Decision.DROP
        return SamplingResult(decision, attributes, trace_state)

    def get_description(self) -> str:
        """Name of the sampler."""
        return "requests and tasks"


class _Names(SpanProcessor):
    """Says of each span which request and which job it is about."""

    def on_start(self, span: Span, parent_context: Context | None = None) -> None:
        """Add what is known."""
        if (request := baggage.get_baggage(REQUEST, parent_context)) is not None:
            span.set_attribute(REQUEST, str(request))
        if (job := logs.job_id.get()) is not None:
            span.set_attribute(_JOB, job)


def begin(service: str) -> None:
    """Send spans of this process in the background; ``OTEL_*`` variables take precedence."""
    resource = Resource.create({"service.name": service}).merge(OTELResourceDetector().detect())
    chosen = "OTEL_TRACES_SAMPLER" in os.environ
    provider = TracerProvider(
        resource=resource, sampler=None if chosen else ParentBased(_Beginnings())
    )
    provider.add_span_processor(_Names())
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
    CeleryInstrumentor().instrument()  # type: ignore[no-untyped-call]


def watch(engine: Engine) -> None:
    """Trace the statements of ``engine``, without their parameters, which are people's data."""
    # The instrumentation names the versions it was tested with, and they end before ours.
    SQLAlchemyInstrumentor().instrument(engine=engine, skip_dep_check=True)


def note_job(job_id: int, kind: str) -> None:
    """Say of the present span which job it is about; all are run by one task."""
    span = trace.get_current_span()
    span.set_attribute(_JOB, job_id)
    span.update_name(f"run/{kind}")
