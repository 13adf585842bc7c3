"""Engines of one process that share what SQLAlchemy has made of statements."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import pytest
from sqlalchemy import Engine, event
from sqlalchemy.engine import Dialect
from sqlalchemy.ext.asyncio import AsyncEngine
from sqlalchemy.util import LRUCache

from core.database import engines

# More than a process of the product needs: tests are all of its processes.
_STATEMENTS: Final = 3_000


@contextmanager
def shared_statements() -> Iterator[None]:
    """Let every engine know the statements that engines before it have compiled.

    A process of the product has one engine, and compiles each statement once. Tests make two for
    each installation, and would compile every statement for each of them: a quarter of their time.
    Compiled statements are kept by dialect, of which each engine has its own, so that they share
    that as well: the first which has asked a server what it is.
    """
    statements: LRUCache[Any, Any] = LRUCache(_STATEMENTS)
    dialects: dict[bool, Dialect] = {}

    def sharing(create: Callable[..., Any]) -> Callable[..., Any]:
        def created(*arguments: Any, **options: Any) -> Engine | AsyncEngine:
            made: Engine | AsyncEngine = create(
                *arguments, execution_options={"compiled_cache": statements}, **options
            )
            engine = made.sync_engine if isinstance(made, AsyncEngine) else made
            own = engine.dialect

            def known(*_: Any) -> None:
                dialects.setdefault(own.is_async, own)

            if own.is_async in dialects:
                engine.dialect = dialects[own.is_async]
            else:
                event.listen(engine, "connect", known)
            return made

        return created

    with pytest.MonkeyPatch.context() as patch:
        for name in ("create_engine", "create_async_engine"):
            patch.setattr(engines, name, sharing(getattr(engines, name)))
        yield
