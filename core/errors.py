"""Failures that a caller can expect, each with a code that programs can rely on."""

from enum import StrEnum
from typing import ClassVar


class ErrorKind(StrEnum):
    """What sort of failure it is; the HTTP layer maps each kind to one status."""

    INVALID = "invalid"
    UNAUTHENTICATED = "unauthenticated"
    FORBIDDEN = "forbidden"
    NOT_FOUND = "not_found"
    CONFLICT = "conflict"
    TOO_LARGE = "too_large"
    TOO_MANY = "too_many"
    UNAVAILABLE = "unavailable"


class DomainError(Exception):
    """An expected failure.

    Args:
        code: Stable identifier, snake case, for programs.
        detail: What is wrong and what to do about it, for people.
        kind: Sort of failure.
        field: Dotted path of the offending input, if there is one.

    Attributes:
        retry_after: Seconds until it is worth trying again, if that is known.
    """

    default_kind: ClassVar[ErrorKind] = ErrorKind.INVALID
    retry_after: int | None = None

    def __init__(
        self, code: str, detail: str, *, kind: ErrorKind | None = None, field: str | None = None
    ) -> None:
        """Store the parts; ``str()`` gives the detail."""
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.kind = kind or self.default_kind
        self.field = field


class Invalid(DomainError):
    """The request is well-formed, but a value in it cannot be accepted."""


class Conflict(DomainError):
    """The state of the object does not allow this now."""

    default_kind = ErrorKind.CONFLICT


class Forbidden(DomainError):
    """The caller is known and may not do this."""

    default_kind = ErrorKind.FORBIDDEN


class NotFound(DomainError):
    """No such object, or none that the caller may know of."""

    default_kind = ErrorKind.NOT_FOUND

    def __init__(self, what: str, name: str | None = None) -> None:
        """Say what was looked for, as ``project``, and its name where there are several."""
        no_such = f"There is no such {what}, or you have no access to it."
        if name is not None:
            no_such = f"There is no {what} {name!r}, or you have no access to it."
        super().__init__("not_found", no_such)


class Unauthenticated(DomainError):
    """No valid session or token came with the request."""

    default_kind = ErrorKind.UNAUTHENTICATED

    def __init__(
        self, code: str = "unauthenticated", detail: str = "Log in, or send a valid API token."
    ) -> None:
        """Keep the default texts unless a login failed."""
        super().__init__(code, detail)


class Unavailable(DomainError):
    """Something that is needed is away, and comes back by itself."""

    default_kind = ErrorKind.UNAVAILABLE

    def __init__(self, code: str, detail: str, *, seconds: int = 5) -> None:
        """Say that it is worth trying again after so many ``seconds``."""
        super().__init__(code, detail)
        self.retry_after = seconds


class OutOfOrder(DomainError):
    """Something that is needed is away until somebody mends it, so nobody tries again."""

    default_kind = ErrorKind.UNAVAILABLE


class TooManyRequests(DomainError):
    """A program calls more often than one may."""

    default_kind = ErrorKind.TOO_MANY

    def __init__(self, most: int, seconds: int) -> None:
        """Say that ``most`` are allowed in a minute, which is over in ``seconds``."""
        super().__init__(
            "too_many_requests",
            f"This API token has made its {most} requests of this minute. Wait {seconds} seconds, "
            "send more in one request, or have an admin raise KARAT_TOKEN_REQUESTS.",
        )
        self.retry_after = max(1, seconds)


class TooManyAttempts(DomainError):
    """Somebody guesses, or has mistyped too often; it works again after a while."""

    default_kind = ErrorKind.TOO_MANY

    def __init__(self, seconds: int) -> None:
        """Say how long to wait, in ``seconds``."""
        minutes = -(-seconds // 60)
        wait = f"{minutes} minutes" if minutes > 1 else f"{max(1, seconds)} seconds"
        super().__init__(
            "too_many_attempts",
            f"Too many failed logins. Wait {wait}, then try again; whoever is logged in stays so.",
        )
        self.retry_after = max(1, seconds)
