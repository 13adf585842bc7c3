"""The client's part for users, their passwords and their API tokens."""

import json
from collections.abc import Iterator
from typing import Any, Literal

from karat.client.resources import NewToken, Retention, Role, Scope, Token, User
from karat.client.transport import Transport


class AccountsClient:
    """Logging in, users and tokens; a part of ``Client``."""

    def __init__(self, transport: Transport) -> None:
        """Take a connection.

        Args:
            transport: The client's.
        """
        self._transport = transport

    def login(self, email: str, password: str, code: str | None = None) -> User:
        """Log in with a password; the session lasts as long as the client.

        From then on the client acts for this user, and no longer for that of its token.

        Args:
            email: The user's address.
            password: The user's password.
            code: Of the user's authenticator app, or a recovery code, if they have a second factor.

        Returns:
            The user.

        Raises:
            KaratError: ``bad_credentials``, ``code_required`` or ``wrong_code``; ``passwords_off``
                where single sign-on is the only way.
        """
        body = {"email": email, "password": password}
        if code is not None:
            body["code"] = code
        user: User = self._transport.request("POST", "/auth/login", body=body)
        self._transport.forget_token()
        return user

    def me(self) -> User:
        """The user this client acts for."""
        user: User = self._transport.request("GET", "/auth/me")
        return user

    def users(self) -> list[User]:
        """All users; for engineers and whoever manages a project."""
        return list(self._transport.pages("/users"))

    def create_user(self, email: str, password: str, *, name: str = "", role: Role) -> User:
        """Add a user; for admins.

        Args:
            email: Address to log in with.
            password: Password to log in with.
            name: Name shown to others; the part before the @ if empty.
            role: What the user may do.

        Returns:
            The user.
        """
        body = {
            "email": email,
            "name": name or email.partition("@")[0],
            "role": role,
            "password": password,
        }
        user: User = self._transport.request("POST", "/users", body=body)
        return user

    def update_user(self, user_id: int, **changes: Any) -> User:
        """Change a user; for admins.

        Args:
            user_id: The user.
            **changes: Any of ``name``, ``role``, ``active``, ``password``,
                ``second_factor_required``.

        Returns:
            The changed user.
        """
        user: User = self._transport.request("PATCH", f"/users/{user_id}", body=changes)
        return user

    def unlock_user(self, user_id: int) -> User:
        """Let a user log in again at once, who has to wait after failed logins; for admins.

        Args:
            user_id: The user.
        """
        user: User = self._transport.request("POST", f"/users/{user_id}/unlock")
        return user

    def reset_password(self, user_id: int, *, revoke_tokens: bool = False) -> str:
        """Replace a user's password by a temporary one, and end their sessions; for admins.

        Args:
            user_id: The user.
            revoke_tokens: Whether their API tokens end as well.

        Returns:
            The temporary password; whoever logs in with it has to choose another.
        """
        body = {"revoke_tokens": revoke_tokens}
        path = f"/users/{user_id}/reset-password"
        return str(self._transport.request("POST", path, body=body)["password"])

    def reset_second_factor(self, user_id: int) -> User:
        """Take a user's second factor away, and end their sessions; for admins.

        Args:
            user_id: The user.
        """
        user: User = self._transport.request("POST", f"/users/{user_id}/reset-second-factor")
        return user

    def erase_user(self, user_id: int) -> User:
        """Erase who a user is, for good: name, address, sessions, tokens, memberships; for admins.

        What they labeled stays under their number.

        Args:
            user_id: The user.
        """
        user: User = self._transport.request("POST", f"/users/{user_id}/erase")
        return user

    def export_user(self, user_id: int) -> Iterator[dict[str, Any]]:
        """All that is held of a user, a dict for each thing, whose ``kind`` says what it is.

        For admins.

        Args:
            user_id: The user.
        """
        yield from self._lines(f"/users/{user_id}/export")

    def audit_log(self, after: int = 0, *, follow: bool = False) -> Iterator[dict[str, Any]]:
        """The audit log, the oldest entry first; for admins.

        Args:
            after: The ``number`` of the last entry that you have.
            follow: Go on with what comes, and never end.
        """
        query = {"after": after, "follow": follow or None}
        yield from self._lines("/admin/audit.jsonl", query)

    def _lines(self, path: str, query: dict[str, Any] | None = None) -> Iterator[dict[str, Any]]:
        for line in self._transport.lines(path, query):
            yield json.loads(line)

    def retentions(self) -> list[Retention]:
        """What will be deleted when, of all projects that are not kept for good; for admins."""
        return list(self._transport.pages("/admin/retention"))

    def tokens(self) -> list[Token]:
        """The user's API tokens, without their secrets."""
        return list(self._transport.pages("/tokens"))

    def create_token(
        self,
        name: str,
        expires_in_days: int | Literal["never"] | None = None,
        scope: Scope = "write",
        project_id: int | None = None,
    ) -> NewToken:
        """Make an API token.

        Args:
            name: What it is for.
            expires_in_days: Its life, that of the installation (90 days) if None.
            scope: What it may do of what its user may: ``read``, ``label`` as well, ``write``
                all but users, tokens and the password, or ``admin`` everything.
            project_id: The only project that it opens; all of the user's if None.

        Returns:
            The token with its ``secret``, which is shown this once.
        """
        body: dict[str, Any] = {"name": name, "scope": scope, "project_id": project_id}
        if expires_in_days is not None:
            body["expires_in_days"] = None if expires_in_days == "never" else expires_in_days
        token: NewToken = self._transport.request("POST", "/tokens", body=body)
        return token

    def revoke_token(self, token_id: int) -> None:
        """Make an API token invalid.

        Args:
            token_id: The token.
        """
        self._transport.request("DELETE", f"/tokens/{token_id}")
