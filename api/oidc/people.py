"""Who somebody from the provider is here, and what their groups let them do."""

import logging
from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy import ColumnElement, func, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from api.audit import record
from api.callers.passwords import end_sessions
from api.oidc.refusals import Refused
from api.users.roles import in_projects, lock_admins, set_role
from api.users.service import revoke_tokens
from core.settings.sign_in import Provider
from core.states import Role
from core.tables import Identity, User

logger = logging.getLogger(__name__)

_LONGEST_SUBJECT: Final = 255
_LONGEST_EMAIL: Final = 254
_LONGEST_NAME: Final = 100
# People who come for the first time, one at a time: two tabs are not two people.
_FIRST_TIME: Final = 0x6B61726174


async def signed_in(
    session: AsyncSession, provider: Provider, claims: Mapping[str, Any]
) -> tuple[User | None, Refused | None]:
    """The user of the person that ``claims`` are about, made or linked if they come for the first
    time, with the role of their groups.

    What changes stays, also where they are refused: commit it.

    Args:
        session: A transaction.
        provider: Whose claims they are.
        claims: Of an ID token that was checked.

    Returns:
        The user if there is one, and why they do not get in, if so.
    """
    try:
        subject = _subject(claims)
        role = provider.role_of(groups_of(claims, provider.groups_claim))
        user = await _known(session, provider, subject, role)
        if user is None:
            await session.execute(select(func.pg_advisory_xact_lock(_FIRST_TIME)))
            user = await _known(session, provider, subject, role)
        if user is None:
            user = await _first_time(session, provider, claims, subject, role)
    except Refused as refused:
        return None, refused
    if not user.active:
        return user, Refused("sso_inactive", "The account is deactivated.")
    return user, await _with_role(session, provider, user, role)


def groups_of(claims: Mapping[str, Any], path: str) -> list[str]:
    """The groups that ``claims`` name at ``path``; none if there are none, or no names.

    Nor where the claim is not there: some providers say nothing of who is in no group. A claim
    whose own name has dots goes before what they would lead to.

    Raises:
        Refused: ``sso_unavailable``: there are groups, and they were left out.
    """
    _require_all(claims, path)
    found: Any = claims
    if path in claims:
        found = claims[path]
    else:
        for part in path.split("."):
            found = found.get(part) if isinstance(found, Mapping) else None
    if isinstance(found, str):
        return [found]
    return [one for one in found if isinstance(one, str)] if isinstance(found, list) else []


def _require_all(claims: Mapping[str, Any], path: str) -> None:
    """Refuse claims that leave groups out for being too many, as Entra ID does: they are not none.

    It says so in ``hasgroups``, or names where to ask (OpenID Connect Core 1.0, section 5.6.2).
    """
    elsewhere = claims.get("_claim_names")
    too_many = isinstance(elsewhere, Mapping) and path in elsewhere
    if path not in claims and (too_many or (path == "groups" and claims.get("hasgroups"))):
        raise Refused("sso_unavailable", "The provider left groups out, as there are too many.")


def _subject(claims: Mapping[str, Any]) -> str:
    subject = claims.get("sub")
    if not isinstance(subject, str) or not 0 < len(subject) <= _LONGEST_SUBJECT or "\0" in subject:
        raise Refused("sso_token", "The ID token names nobody.")
    return subject


async def _known(
    session: AsyncSession, provider: Provider, subject: str, role: Role | None
) -> User | None:
    identity = await session.get(Identity, (provider.issuer, subject))
    if identity is None:
        return None
    user = await _locked(session, provider, User.id == identity.user_id, role)
    # In this order, as whoever erases them: neither waits for the other.
    now = update(Identity).where(Identity.issuer == provider.issuer, Identity.subject == subject)
    await session.execute(now.values(signed_in_at=func.now()))
    return user


async def _locked(
    session: AsyncSession, provider: Provider, which: ColumnElement[bool], role: Role | None
) -> User | None:
    """The user, locked; after all admins if they may be none any more, as where admins edit users.

    In another order each could wait for the other.
    """
    now = await session.scalar(select(User.role).where(which))
    if provider.roles and now is Role.ADMIN and role is not Role.ADMIN:
        await lock_admins(session)
    return await session.scalar(select(User).where(which).with_for_update())


async def _first_time(
    session: AsyncSession,
    provider: Provider,
    claims: Mapping[str, Any],
    subject: str,
    role: Role | None,
) -> User:
    """Link the account with the same address, or make one."""
    email = _email(provider, claims)
    user = await _locked(session, provider, func.lower(User.email) == email, role)
    if user is not None:
        linked = select(Identity.subject).where(
            Identity.user_id == user.id, Identity.issuer == provider.issuer
        )
        if await session.scalar(linked) is not None:
            raise Refused(
                "sso_email_taken", "The account of this address is somebody else's there."
            )
        if not user.active:
            raise Refused("sso_inactive", "The account is deactivated.")
        record(session, None, "add", "identity", user.id)
    elif role is None:
        raise Refused("sso_no_role", "They are in no group that has a role.")
    else:
        user = User(
            email=email, name=_name(claims, email), role=role, password_hash="", active=True
        )
        session.add(user)
        await session.flush()
        record(session, None, "create", "user", user.id, role=role, by="oidc")
    session.add(Identity(issuer=provider.issuer, subject=subject, user_id=user.id))
    await session.flush()
    return user


def _email(provider: Provider, claims: Mapping[str, Any]) -> str:
    given = claims.get("email")
    email = given.strip().lower() if isinstance(given, str) else ""
    name, at, domain = email.partition("@")
    # As given: the Kelvin sign, in lower case, is the k of somebody else's address.
    plain = (
        isinstance(given, str)
        and given.isascii()
        and email.isprintable()
        and not any(character.isspace() for character in email)
    )
    if not (name and at and domain and plain) or len(email) > _LONGEST_EMAIL:
        raise Refused("sso_no_email", "The provider said no address of email.")
    if claims.get("email_verified") is not True and not provider.unverified_emails:
        raise Refused("sso_email_unverified", "The provider has not verified the address of email.")
    return email


def _name(claims: Mapping[str, Any], email: str) -> str:
    for claim in ("name", "preferred_username"):
        said = claims.get(claim)
        if isinstance(said, str):
            plain = "".join(character for character in said if character.isprintable()).strip()
            if plain:
                return plain[:_LONGEST_NAME]
    return email.partition("@")[0][:_LONGEST_NAME]


async def _with_role(
    session: AsyncSession, provider: Provider, user: User, role: Role | None
) -> Refused | None:
    """Give ``user`` the role of their groups, unless roles are left to admins."""
    if not provider.roles:
        return None
    wanted = role or Role.ANNOTATOR
    if user.role is Role.ADMIN and wanted is not Role.ADMIN and await _is_last(session, user):
        logger.warning("user %d is in no group of admins, and stays the last admin", user.id)
        record(session, None, "keep_role", "user", user.id, role=user.role)
        return None
    if user.role is not wanted:
        changes = {"role": [user.role, wanted]}
        projects = await set_role(session, user, wanted, by_groups=True)
        detail = {"changes": changes, **in_projects(wanted, projects)}
        record(session, None, "update", "user", user.id, **detail)
    if role is not None:
        return None
    # Nothing that they had before opens anything, until they are in a group again.
    await end_sessions(session, user)
    await revoke_tokens(session, user)
    return Refused("sso_no_role", "They are in no group that has a role.")


async def _is_last(session: AsyncSession, user: User) -> bool:
    """Whether nobody else is an active admin; all are locked."""
    return not any(one.active and one.id != user.id for one in await lock_admins(session))
