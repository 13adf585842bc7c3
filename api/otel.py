"""What ``api.tracing`` does where traces are asked for; needs the extra ``otel``."""

from fastapi import FastAPI
from opentelemetry import baggage, context, trace
from opentelemetry.instrumentation.fastapi import FastAPIInstrumentor
from starlette.types import ASGIApp, Receive, Scope, Send

from core.logs import request_id
from core.otel import REQUEST


def install(app: FastAPI) -> None:
    """Trace the requests of ``app``, but for those of health checks and scrapes."""
    app.add_middleware(_Named)
    FastAPIInstrumentor.instrument_app(
        app, excluded_urls="healthz,readyz,metrics", exclude_spans=["receive", "send"]
    )


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
