"""People, their browser sessions and their API tokens."""

from datetime import datetime

from sqlalchemy import ForeignKey, Index, UniqueConstraint, func, text
from sqlalchemy import Identity as Numbered
from sqlalchemy.orm import Mapped, mapped_column, relationship

from core.states import Role, Scope, SignInMethod
from core.tables.base import Base


class User(Base):
    """Somebody who can log in. Never deleted, only deactivated: annotations name their author.

    ``password_hash`` is empty for who came by single sign-on and has no password. ``second_factor``
    says that there is a confirmed one. Until ``password_until`` the password opens the account also
    where single sign-on is the only way; only the server's command line sets it.
    Of somebody erased there is the number, and no name and address of theirs.
    """

    __tablename__ = "users"
    __table_args__ = (Index("uq_users_email_lower", text("lower(email)"), unique=True),)

    id: Mapped[int] = mapped_column(primary_key=True)
    email: Mapped[str]
    name: Mapped[str]
    role: Mapped[Role]
    password_hash: Mapped[str]
    active: Mapped[bool] = mapped_column(server_default=text("true"))
    must_change_password: Mapped[bool] = mapped_column(server_default=text("false"))
    second_factor: Mapped[bool] = mapped_column(server_default=text("false"))
    second_factor_required: Mapped[bool] = mapped_column(server_default=text("false"))
    password_until: Mapped[datetime | None]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    erased_at: Mapped[datetime | None]


class LoginSession(Base):
    """A browser that is logged in. Only a hash of the cookie is kept.

    ``address`` and ``agent`` are those of the sign-in. ``id_token_sealed`` is what the provider of
    single sign-on is reminded with when the person signs out (``core.security.sealing``), and
    ``oidc_sid`` what it calls the session when it says that it has ended.
    """

    __tablename__ = "sessions"

    token_hash: Mapped[str] = mapped_column(primary_key=True)
    id: Mapped[int] = mapped_column(Numbered(always=True), unique=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    method: Mapped[SignInMethod] = mapped_column(server_default=text("'password'"))
    address: Mapped[str | None]
    agent: Mapped[str | None]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    last_seen_at: Mapped[datetime] = mapped_column(server_default=func.now())
    expires_at: Mapped[datetime]
    id_token_sealed: Mapped[bytes | None]
    oidc_sid: Mapped[str | None]

    user: Mapped[User] = relationship(lazy="raise")


class Identity(Base):
    """Who somebody is at the provider of single sign-on: its name for them never changes.

    Long after ``signed_in_at`` their API tokens open nothing: who has left signs in no more.
    """

    __tablename__ = "identities"
    __table_args__ = (UniqueConstraint("user_id", "issuer"),)

    issuer: Mapped[str] = mapped_column(primary_key=True)
    subject: Mapped[str] = mapped_column(primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    signed_in_at: Mapped[datetime] = mapped_column(server_default=func.now())


class SecondFactor(Base):
    """What an authenticator app and Karat share (RFC 6238), sealed; asked for once confirmed.

    ``last_step`` is the 30 seconds whose code was used last: no code of then or before is taken.
    ``failures`` are wrong codes since the last right one, but for browsers that are known.
    """

    __tablename__ = "second_factors"

    user_id: Mapped[int] = mapped_column(
        ForeignKey("users.id", ondelete="CASCADE"), primary_key=True
    )
    secret_sealed: Mapped[bytes]
    last_step: Mapped[int | None]
    failures: Mapped[int] = mapped_column(server_default=text("0"))
    confirmed_at: Mapped[datetime | None]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())


class RecoveryCode(Base):
    """A hash of a code that stands in for the app once; gone when it was used."""

    __tablename__ = "recovery_codes"

    code_hash: Mapped[str] = mapped_column(primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)


class ApiToken(Base):
    """A personal token for REST. Only its hash and first characters are kept.

    With ``project_id`` it opens that project and nothing else, and goes with it.
    """

    __tablename__ = "api_tokens"

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    name: Mapped[str]
    prefix: Mapped[str]
    token_hash: Mapped[str] = mapped_column(unique=True)
    # Tokens from before there were scopes keep what they could do.
    scope: Mapped[Scope] = mapped_column(server_default=text("'admin'"))
    project_id: Mapped[int | None] = mapped_column(
        ForeignKey("projects.id", ondelete="CASCADE"), index=True
    )
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    last_used_at: Mapped[datetime | None]
    expires_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]

    user: Mapped[User] = relationship(lazy="raise")


class TokenRequests(Base):
    """Requests with a token in the latest minute that it was used in, of all API processes.

    ``minute`` counts minutes since 1970.
    """

    __tablename__ = "token_requests"

    token_id: Mapped[int] = mapped_column(
        ForeignKey("api_tokens.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    minute: Mapped[int]
    requests: Mapped[int]


class LoginAttempt(Base):
    """Failed logins of one account or from one address since a moment.

    Every API process sees them. Attempts are counted before the password is looked at, so that
    guesses that come at once are counted as well.
    """

    __tablename__ = "login_attempts"

    key: Mapped[str] = mapped_column(primary_key=True)
    failures: Mapped[int]
    since: Mapped[datetime] = mapped_column(index=True)
