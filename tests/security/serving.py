"""The API on a port, in a thread of the test, with limits that a test can wait for."""

import contextlib
import threading
from collections.abc import Iterator, Sequence

import uvicorn
from fastapi import FastAPI

from api.middleware.connections import Guard, Limits, guarded
from core.settings.addresses import Network
from tests.processes import eventually, free_port


@contextlib.contextmanager
def serving(app: FastAPI, limits: Limits, proxies: Sequence[Network] = ()) -> Iterator[str]:
    """Serve ``app``; yields its address."""
    port = free_port()
    config = uvicorn.Config(
        app,
        port=port,
        log_config=None,
        access_log=False,
        ws="none",
        http=guarded(Guard(limits, proxies)),
        timeout_graceful_shutdown=1,
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    eventually(lambda: server.started, "the server starts", 30)
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(30)
