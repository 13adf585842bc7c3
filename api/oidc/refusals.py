"""Why somebody does not get in by single sign-on."""

from typing import Final

from core.errors import DomainError, ErrorKind

CODES: Final = frozenset(
    {
        "sso_off",
        "sso_unavailable",
        "sso_interrupted",
        "sso_too_many",
        "sso_declined",
        "sso_token",
        "sso_no_role",
        "sso_no_email",
        "sso_email_unverified",
        "sso_email_taken",
        "sso_inactive",
    }
)
"""What the sign-in page has words for."""


class Refused(DomainError):
    """Somebody does not get in.

    Args:
        code: One of ``CODES``.
        detail: What is wrong, for the log and for admins: nothing that was sent stands in it.
    """

    default_kind = ErrorKind.FORBIDDEN

    def __init__(self, code: str, detail: str) -> None:
        """Keep the code, which a page has words for."""
        assert code in CODES
        super().__init__(code, detail)
