"""Traces of requests, where they are asked for; see ``core.telemetry.tracing``."""

from fastapi import FastAPI

from core.telemetry import tracing


def install(app: FastAPI) -> None:
    """Trace the requests of ``app``; call before middleware is added that gives them their ids."""
    if tracing.on():
        from api.middleware import otel

        otel.install(app)
