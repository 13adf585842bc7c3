"""Traces of requests, where they are asked for; see ``core.tracing``."""

from fastapi import FastAPI

from core import tracing


def install(app: FastAPI) -> None:
    """Trace the requests of ``app``; call before middleware is added that gives them their ids."""
    if tracing.on():
        from api import otel

        otel.install(app)
