"""How every process of Karat's logs: as text for people, or as JSON for programs."""

import json
import logging
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Final, Literal

request_id: ContextVar[str | None] = ContextVar("request_id", default=None)
"""The request that is being answered."""
job_id: ContextVar[int | None] = ContextVar("job_id", default=None)
"""The job that is being run."""

_TEXT: Final = "%(asctime)s %(levelname)s %(name)s: %(message)s"


class JsonFormatter(logging.Formatter):
    """One JSON object a line, with the request or the job that it is about."""

    def format(self, record: logging.LogRecord) -> str:
        """Write ``record`` in one line."""
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if (request := request_id.get()) is not None:
            line["request_id"] = request
        if (job := job_id.get()) is not None:
            line["job_id"] = job
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False)


class TextFormatter(logging.Formatter):
    """A line for people, which ends with the request or the job that it is about."""

    def __init__(self) -> None:
        """Use the house format."""
        super().__init__(_TEXT)

    def formatMessage(self, record: logging.LogRecord) -> str:
        """The line, before any traceback."""
        line = super().formatMessage(record)
        about = (("request", request_id.get()), ("job", job_id.get()))
        return line + "".join(f" [{name} {value}]" for name, value in about if value is not None)


def configure(form: Literal["text", "json"]) -> None:
    """Send the process's logs to standard error, in one form; replaces what was set before."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonFormatter() if form == "json" else TextFormatter())
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    # It tells of each of its parts when it is imported.
    logging.getLogger("alembic.runtime.plugins").setLevel(logging.WARNING)
    # It tells the whole address of each request, and that of a webhook may hold a secret.
    logging.getLogger("httpx").setLevel(logging.WARNING)
    # They tell of each message, of which most are ticks: gigabytes a year. Jobs tell of themselves.
    for name in ("celery.beat", "celery.worker.strategy", "celery.app.trace"):
        logging.getLogger(name).setLevel(logging.WARNING)
