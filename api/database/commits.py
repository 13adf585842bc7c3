"""How far a request has come with storing something: ``request.state.commit``, begun or done."""

from contextvars import ContextVar
from typing import Any, Final

from sqlalchemy import event
from sqlalchemy.orm import Session
from starlette.types import Scope

# What the tasks of a request share: some commit in one of their own.
_state: Final[ContextVar[dict[str, Any] | None]] = ContextVar("state", default=None)


def watch(scope: Scope) -> None:
    """Note from here on what is committed for the request of ``scope``, in any session."""
    _state.set(scope.setdefault("state", {}))


@event.listens_for(Session, "before_commit")
def _begun(_: Session) -> None:
    # Who loses the database from here on does not know what became of the request.
    _note("begun")


@event.listens_for(Session, "after_commit")
def _done(_: Session) -> None:
    _note("done")


def _note(commit: str) -> None:
    state = _state.get()
    if state is not None:
        state["commit"] = commit
