"""Traces, if OpenTelemetry's own variables ask for them. Without, nothing of it is imported."""

import importlib.util
import logging
import os
from functools import lru_cache
from typing import Final, Literal

from sqlalchemy import Engine

logger = logging.getLogger(__name__)

_ENDPOINTS: Final = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")


@lru_cache
def on() -> bool:
    """Whether this process traces: it is told where to send traces to, and has the extra."""
    off = os.environ.get("OTEL_SDK_DISABLED", "").lower() == "true"
    if off or not any(os.environ.get(name) for name in _ENDPOINTS):
        return False
    if importlib.util.find_spec("opentelemetry") is None or (
        importlib.util.find_spec("opentelemetry.instrumentation") is None
    ):
        logger.warning("traces are asked for, and the packages are missing: install karat[otel]")
        return False
    return True


def begin(service: Literal["karat-api", "karat-worker"]) -> None:
    """Trace this process from now on: what it sends to workers, and what workers run."""
    if on():
        from core.telemetry import otel

        otel.begin(service)


def watch(engine: Engine) -> None:
    """Trace the statements of the process's engine."""
    if on():
        from core.telemetry import otel

        otel.watch(engine)


def note_job(job_id: int, kind: str) -> None:
    """Say of the task that is being run which job it is, and of which kind."""
    if on():
        from core.telemetry import otel

        otel.note_job(job_id, kind)
