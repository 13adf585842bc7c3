"""Serves the API: ``python -m api --port 8080``."""

import argparse
import contextlib
import gc

import uvicorn

from api.main import create_app
from core import logs, tracing
from core.private import keep_private, protect
from core.settings import settings


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
    # Modules, routes and schemas are over 100,000 objects that live as long as the process. A full
    # collection that walks through them all stops every request for about 70 ms, twice a second
    # under load, and frees nothing. Frozen, they are left out, and it takes a few milliseconds.
    gc.collect()
    gc.freeze()
    uvicorn.run(
        app,
        host=arguments.host,
        port=arguments.port,
        access_log=False,
        log_config=None,
        # Live event streams never end by themselves.
        timeout_graceful_shutdown=3,
    )


if __name__ == "__main__":
    main()
