"""The FastAPI application."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterable, Sequence
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, FastAPI
from starlette.routing import BaseRoute

from api import frontend
from api.admin.routes import router as admin
from api.agreement.routes import router as agreement
from api.algorithms.routes import router as algorithms
from api.artifacts.routes import router as artifacts
from api.auth.routes import router as auth
from api.callers.principal import Identifier
from api.certificates.routes import router as certificates
from api.database.reader import Reader
from api.documentation import reference
from api.documentation.description import described
from api.draws.routes import router as draws
from api.duplicates.routes import router as duplicates
from api.embedding_map.routes import router as embedding_map
from api.events.broadcaster import Broadcaster
from api.events.routes import router as events
from api.examples.routes import router as examples
from api.exports.routes import router as exports
from api.guides.routes import router as guides
from api.home.routes import router as home
from api.jobs.routes import router as jobs
from api.judges.routes import router as judges
from api.labeling.answering import AnswerWriter
from api.labeling.routes import router as labeling
from api.maps.routes import router as maps
from api.middleware import problems, tracing
from api.middleware.bodies import Bodies
from api.middleware.headers import SecurityHeaders
from api.middleware.hosts import Hosts
from api.middleware.requests import Requests
from api.oidc.routes import router as oidc
from api.operations import health, reserve
from api.operations.metrics import Metrics
from api.pools.routes import router as pools
from api.predictions.routes import router as predictions
from api.projects.routes import router as projects
from api.retention.routes import admin_router as all_retention
from api.retention.routes import router as retention
from api.reviews.routes import router as reviews
from api.rounds.routes import project_router as project_rounds
from api.rounds.routes import router as rounds
from api.second_factor.routes import router as second_factor
from api.selections.routes import router as selections
from api.snapshots.routes import router as snapshots
from api.subsets.routes import router as subsets
from api.syncs.routes import router as syncs
from api.tokens.routes import router as tokens
from api.users.routes import router as users
from api.webhooks.routes import admin_router as all_webhooks
from api.webhooks.routes import router as webhooks
from api.weights.routes import router as weights
from api.withdrawals.routes import router as withdrawals
from core.database.engines import async_engine, async_sessions
from core.files.buckets import Buckets, image_origins
from core.files.storage import Storage
from core.media.originals import Originals
from core.settings import Settings
from core.settings import settings as process_settings
from core.telemetry.tracing import watch

if TYPE_CHECKING:
    from api.oidc.client import ProviderClient

# Routes are matched in order: the one that annotators wait for comes first.
_ROUTERS = (
    labeling,
    auth,
    oidc,
    second_factor,
    tokens,
    users,
    projects,
    retention,
    pools,
    predictions,
    maps,
    embedding_map,
    project_rounds,
    draws,
    examples,
    duplicates,
    withdrawals,
    rounds,
    reviews,
    agreement,
    jobs,
    artifacts,
    subsets,
    selections,
    certificates,
    guides,
    exports,
    snapshots,
    webhooks,
    syncs,
    algorithms,
    weights,
    judges,
    home,
    admin,
    all_retention,
    all_webhooks,
    events,
)


def _ready(routers: Iterable[APIRouter]) -> Sequence[BaseRoute]:
    """Routes of the service, which every application of this process can serve.

    FastAPI makes what a route needs when a router is first asked for one, again for each
    application: a third of a second, which the first to call waits for.
    """
    service = APIRouter(
        generate_unique_id_function=lambda route: route.name,
        responses={"4XX": {"model": problems.Problem}, "5XX": {"model": problems.Problem}},
    )
    # Each by itself: of a router of routers FastAPI asks all of them, for every request, whether
    # they have changed.
    for router in routers:
        service.include_router(router, prefix="/api")
    service.include_router(health.router)
    nowhere = {"type": "http", "method": "GET", "path": "/", "root_path": "", "headers": []}
    for route in service.routes:
        route.matches(dict(nowhere))
    return service.routes


_ROUTES = _ready(_ROUTERS)


@contextlib.asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    settings: Settings = app.state.settings
    engine = async_engine(settings)
    app.state.engine = engine
    watch(engine.sync_engine)
    app.state.sessions = async_sessions(engine)
    app.state.reader = Reader(settings, engine)
    app.state.storage = Storage.of(settings)
    app.state.originals = Originals(app.state.storage, Buckets(settings))
    app.state.identifier = Identifier(
        engine,
        settings.token_requests,
        settings.second_factor,
        settings.token_max_days,
        settings.oidc_issuer,
        settings.oidc_token_days,
    )
    app.state.provider = _provider(settings)
    app.state.answers = AnswerWriter(app.state.sessions)
    app.state.broadcaster = Broadcaster(settings.libpq_url)
    tasks = [
        asyncio.create_task(app.state.broadcaster.run()),
        asyncio.create_task(reserve.keep(settings)),
    ]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await app.state.reader.close()
        if app.state.provider is not None:
            await app.state.provider.close()
        await engine.dispose()


def _provider(settings: Settings) -> "ProviderClient | None":
    """A client of the provider of single sign-on, if there is one."""
    if settings.provider is None:
        return None
    # Its libraries take a moment to load, and most installations never need them.
    from api.oidc.client import ProviderClient

    return ProviderClient(settings.provider)


class _Api(FastAPI):
    def openapi(self) -> dict[str, Any]:
        return described(super().openapi(), (*_ROUTERS, health.router))


def create_app(settings: Settings | None = None) -> FastAPI:
    """The application, reading ``settings`` or the environment."""
    app = _Api(
        title="Karat",
        summary="Active-learning labeling for pools of images and texts that are not pure",
        version=version("karat"),
        lifespan=_lifespan,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        # Where pages are served, they answer first; one kind of installation is as the other.
        redirect_slashes=False,
    )
    app.state.settings = settings or process_settings()
    app.state.metrics = Metrics()
    tracing.install(app)
    app.add_middleware(Bodies)
    app.add_middleware(Requests, metrics=app.state.metrics)
    problems.install(app)
    app.router.routes.extend(_ROUTES)
    reference.mount(app)
    frontend.mount(app, app.state.settings.frontend_dir)
    if app.state.settings.hosts:
        app.add_middleware(Hosts, allowed=app.state.settings.hosts)
    app.add_middleware(
        SecurityHeaders,
        https=app.state.settings.secure_cookies,
        images=image_origins(app.state.settings),
    )
    return app
