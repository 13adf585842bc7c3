"""Laying a pool out on a plane."""

from typing import Any

from core.messages import MapEmbeddings
from workers.app import app
from workers.runner import run_job


@app.task(name=MapEmbeddings.task)  # type: ignore[untyped-decorator]
def embedding_map(payload: dict[str, Any]) -> None:
    """Run the job; torch is imported only where this task runs."""
    from workers.embedding_map import handler

    run_job(MapEmbeddings.model_validate(payload), handler)
