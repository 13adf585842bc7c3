"""Serves the API: ``python -m api --port 8080``."""

import argparse

import uvicorn

from api.main import create_app


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8080)
    arguments = parser.parse_args()
    uvicorn.run(
        create_app(),
        host=arguments.host,
        port=arguments.port,
        access_log=False,
        log_level="info",
        # Live event streams never end by themselves.
        timeout_graceful_shutdown=3,
    )


if __name__ == "__main__":
    main()
