"""What ``api.middleware.tracing`` does where traces are asked for; needs the extra ``otel``."""

from typing import Final

from fastapi import FastAPI
from opentelemetry import baggage, context, trace
from opentelemetry.instrumentation.fastapi import FastAPIInstrumentor
from starlette.types import ASGIApp, Receive, Scope, Send

from core.telemetry.logs import request_id
from core.telemetry.otel import REQUEST

_ADDRESSES: Final = frozenset({"http.url", "http.target", "url.full"})


def install(app: FastAPI) -> None:
    """Trace the requests of ``app``, but for those of health checks and scrapes."""
    app.add_middleware(_Named)
    FastAPIInstrumentor.instrument_app(
        app,
        excluded_urls="healthz,readyz,metrics",
        exclude_spans=["receive", "send"],
        server_request_hook=_without_query,
    )


def _without_query(span: trace.Span, scope: Scope) -> None:
    """Keep queries from the collector: the signature of a link opens it to whoever reads it."""
    del scope
    for name, value in dict(getattr(span, "attributes", None) or {}).items():
        if name in _ADDRESSES and "?" in value:
            span.set_attribute(name, value.partition("?")[0])
        elif name == "url.query":
            span.set_attribute(name, "")


class _Named:
    """Tells the trace the id of the request, and all that the request causes, jobs included."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        known = request_id.get()
        if scope["type"] != "http" or known is None:
            await self._app(scope, receive, send)
            return
        trace.get_current_span().set_attribute(REQUEST, known)
        token = context.attach(baggage.set_baggage(REQUEST, known))
        try:
            await self._app(scope, receive, send)
        finally:
            context.detach(token)
