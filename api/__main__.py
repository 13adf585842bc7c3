"""Serves the API: ``python -m api --port 8080``."""

import argparse
import asyncio
import contextlib
import gc
import resource
import sys
from types import FrameType

from core.process.startup import uncollected

with uncollected():
    import uvicorn

    from api.main import create_app
    from api.middleware.connections import Guard, Limits, guarded, most_connections
    from core.security.private import keep_private, protect
    from core.settings import settings
    from core.telemetry import logs, tracing

_OPEN_FILES = 65_536
_NOT_STARTED = 3


class _Server(uvicorn.Server):
    """One that looks once a second, and not ten times, whether there is anything to do."""

    _loop: asyncio.AbstractEventLoop | None = None

    async def main_loop(self) -> None:
        """Go on until told to end."""
        self._loop, self._told = asyncio.get_running_loop(), asyncio.Event()
        # Each tenth of its ticks, of which this is one, sets the date that answers bear.
        while not await self.on_tick(0):
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._told.wait(), 1.0)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """End, without waiting for the next look."""
        super().handle_exit(sig, frame)
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._told.set)


def _allow_open_files() -> int:
    """Let this process have as many files open as its user may; how many that is now.

    The usual 1,024 are there for programs that use select(), and this one does not.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _OPEN_FILES if hard == resource.RLIM_INFINITY else min(hard, _OPEN_FILES)
    # macOS has limits beside the hard one.
    with contextlib.suppress(ValueError, OSError):
        if 0 <= soft < wanted:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return _OPEN_FILES if soft == resource.RLIM_INFINITY else soft


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8080)
    arguments = parser.parse_args()
    keep_private()
    with contextlib.suppress(OSError):
        # /readyz says what is wrong with it.
        protect(settings().data_dir)
    logs.configure(settings().log_format)
    tracing.begin("karat-api")
    app = create_app()
    proxies = settings().proxies
    limits = Limits(
        per_source=settings().connections_per_address,
        total=most_connections(_allow_open_files()),
    )
    # Modules, routes and schemas are over 100,000 objects that live as long as the process. A full
    # collection that walks through them all stops every request for about 70 ms, twice a second
    # under load, and frees nothing. Frozen, they are left out, and it takes a few milliseconds.
    gc.collect()
    gc.freeze()
    config = uvicorn.Config(
        app,
        host=arguments.host,
        port=arguments.port,
        access_log=False,
        log_config=None,
        http=guarded(Guard(limits, proxies)),
        # Nothing here speaks it, and its connections would be watched by nobody.
        ws="none",
        # Whoever is no proxy of ours may write what they like.
        proxy_headers=bool(proxies),
        forwarded_allow_ips=[str(proxy) for proxy in proxies],
        # Live event streams never end by themselves.
        timeout_graceful_shutdown=3,
    )
    server = _Server(config)
    with contextlib.suppress(KeyboardInterrupt):
        server.run()
    if not server.started:
        sys.exit(_NOT_STARTED)


if __name__ == "__main__":
    main()
