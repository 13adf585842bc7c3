"""The second factor of people who sign in with a password."""

import base64
import re
import secrets
from datetime import UTC, datetime
from typing import Final

import segno
from sqlalchemy import delete, func, select, update
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker

from api.audit import record
from api.callers import login_limits as limits
from api.callers.credentials import match_in_thread, secret_hash
from api.callers.passwords import end_sessions
from api.callers.principal import Principal
from api.second_factor import totp
from api.second_factor.schemas import SecondFactorOut, SecondFactorSecret
from core.errors import Conflict, Forbidden, Invalid, OutOfOrder, Unauthenticated
from core.security.sealing import Sealer, Unreadable
from core.settings import Settings
from core.states import Role
from core.tables import RecoveryCode, SecondFactor, User

Sessions = async_sessionmaker[AsyncSession]
MOST_FAILURES: Final = 100
"""Wrong codes in a row after which waiting is not enough: within a year one would be right."""
_CODES: Final = 10
_CODE_BYTES: Final = 10
_RECOVERY: Final = re.compile(r"[A-Z2-7]{16}")


def is_required(settings: Settings, user: User) -> bool:
    """Whether the password of ``user`` is not enough."""
    if settings.second_factor == "everybody" or user.second_factor_required:
        return True
    return settings.second_factor == "admins" and user.role is Role.ADMIN


async def described(session: AsyncSession, settings: Settings, user: User) -> SecondFactorOut:
    left = select(func.count()).where(RecoveryCode.user_id == user.id)
    return SecondFactorOut(
        enabled=user.second_factor,
        required=is_required(settings, user),
        recovery_codes=await session.scalar(left) or 0,
    )


async def require_code(
    sessions: Sessions, settings: Settings, user: User, code: str | None, device: str | None
) -> None:
    """Let through who sends a code of the app, or a recovery code.

    Codes are counted for themselves: whoever knows the password has no more tries for that. A
    browser that has signed in before counts for itself.

    Args:
        sessions: Where short transactions come from; a failed one is kept.
        settings: How often one may fail.
        user: Whose.
        code: What was typed, if anything.
        device: Which of the account's browsers it is, if it is one of those.

    Raises:
        Unauthenticated: ``code_required`` or ``wrong_code``.
        TooManyAttempts: Too many codes were wrong of late.
        Forbidden: ``codes_used_up``: too many were wrong since one was right.
    """
    if not user.second_factor:
        return
    if code is None:
        raise Unauthenticated(
            "code_required", "Send the code of your authenticator app as well, or a recovery code."
        )
    keys = [limits.code_key(user.id, device)]
    async with sessions.begin() as session:
        await limits.count(session, settings, keys)
        if device is None:
            await _count(session, user.id, code)
    async with sessions.begin() as session:
        if await _matches(session, settings, user.id, code):
            await limits.forgive(session, keys)
            await forgive(session, user)
            return
    raise Unauthenticated(
        "wrong_code", "This code is wrong, or was used already. Wait for the next one."
    )


async def _count(session: AsyncSession, user_id: int, code: str) -> None:
    """Count a code before it is looked at; recovery codes, which nobody guesses, go through."""
    counted = (
        update(SecondFactor)
        .where(SecondFactor.user_id == user_id)
        .values(failures=SecondFactor.failures + 1)
        .returning(SecondFactor.failures)
    )
    failures = await session.scalar(counted) or 0
    if failures > MOST_FAILURES and not _RECOVERY.fullmatch(_typed(code)):
        raise Forbidden(
            "codes_used_up",
            "Too many codes were wrong in a row. Type a recovery code, use a browser that you have "
            "signed in with before, or have an admin unlock you; then change your password.",
        )


async def forgive(session: AsyncSession, user: User) -> None:
    """Forget wrong codes of ``user``."""
    own = update(SecondFactor).where(SecondFactor.user_id == user.id, SecondFactor.failures > 0)
    await session.execute(own.values(failures=0))


def _typed(code: str) -> str:
    return re.sub(r"[\s-]", "", code).upper()


async def _matches(
    session: AsyncSession, settings: Settings, user_id: int, code: str, *, confirming: bool = False
) -> bool:
    """Whether a code is right; it is used up by this."""
    typed = _typed(code)
    if _RECOVERY.fullmatch(typed):
        found = await session.scalar(
            delete(RecoveryCode)
            .where(RecoveryCode.user_id == user_id, RecoveryCode.code_hash == secret_hash(typed))
            .returning(RecoveryCode.user_id)
        )
        if found is not None:
            record(session, None, "use", "recovery_codes", user_id)
        return found is not None
    factor = await session.get(SecondFactor, user_id, with_for_update=True)
    if factor is None or (factor.confirmed_at is None) is not confirming:
        return False
    step = totp.step_of(_opened(settings, factor), typed)
    if step is None or (factor.last_step is not None and step <= factor.last_step):
        return False
    factor.last_step = step
    return True


def _opened(settings: Settings, factor: SecondFactor) -> str:
    try:
        return Sealer.of(settings).open(factor.secret_sealed, _sealed_for(factor.user_id))
    except Unreadable as error:
        raise OutOfOrder(
            "second_factor_unreadable",
            "What your authenticator app shares with Karat cannot be read here, as after a "
            "restore without KARAT_SECRET. Use a recovery code, or have an admin reset your "
            "second factor.",
        ) from error


def _sealed_for(user_id: int) -> str:
    return f"second_factor:{user_id}"


async def require_password(
    sessions: Sessions, settings: Settings, principal: Principal, password: str
) -> None:
    """Let through who knows their present password: an open browser is not enough.

    Raises:
        Invalid: ``wrong_password``.
        TooManyAttempts: It was wrong too often.
    """
    guesses = [limits.password_key(principal.id)]
    async with sessions.begin() as session:
        await limits.count(session, settings, guesses)
        stored = (await session.get_one(User, principal.id)).password_hash
    if not await match_in_thread(password, stored):
        raise Invalid("wrong_password", "That is not your present password.", field="password")
    async with sessions.begin() as session:
        await limits.forgive(session, guesses)


async def start(
    sessions: Sessions, settings: Settings, principal: Principal, password: str
) -> SecondFactorSecret:
    """A new secret, which holds once it is confirmed.

    Raises:
        Conflict: ``second_factor_exists``.
        Invalid: ``wrong_password``.
    """
    await require_password(sessions, settings, principal, password)
    secret = totp.new_secret()
    async with sessions.begin() as session:
        user = await session.get_one(User, principal.id, with_for_update=True)
        if user.second_factor:
            raise Conflict(
                "second_factor_exists",
                "You have a second factor; remove it before you add another.",
            )
        sealed = Sealer.of(settings, make=True).seal(secret, _sealed_for(user.id))
        await session.execute(delete(SecondFactor).where(SecondFactor.user_id == user.id))
        session.add(SecondFactor(user_id=user.id, secret_sealed=sealed))
        uri = totp.address(secret, user.email)
    rows = ["".join("1" if dark else "0" for dark in row) for row in segno.make_qr(uri).matrix]
    return SecondFactorSecret(secret=secret, uri=uri, qr=rows)


async def confirm(
    sessions: Sessions, settings: Settings, principal: Principal, code: str, cookie: str | None
) -> list[str]:
    """Take the secret that was begun, after a code of it; other sessions end.

    Returns:
        The recovery codes.

    Raises:
        Conflict: ``nothing_to_confirm``.
        Invalid: ``wrong_code``.
    """
    keys = [limits.code_key(principal.id)]
    async with sessions.begin() as session:
        await limits.count(session, settings, keys)
    async with sessions.begin() as session:
        user = await session.get_one(User, principal.id, with_for_update=True)
        factor = await session.get(SecondFactor, user.id)
        if factor is None or factor.confirmed_at is not None:
            raise Conflict("nothing_to_confirm", "Begin with POST /api/auth/second-factor.")
        if not re.fullmatch(r"\s*\d{3}\s?\d{3}\s*", code) or not await _matches(
            session, settings, user.id, code, confirming=True
        ):
            raise Invalid(
                "wrong_code",
                "This is not the code that the app shows now. Check that the clock of the phone is "
                "right.",
                field="code",
            )
        factor.confirmed_at = datetime.now(UTC)
        user.second_factor = True
        await limits.forgive(session, keys)
        await end_sessions(session, user, keep=cookie and secret_hash(cookie))
        record(session, principal, "add", "second_factor", user.id)
        return await _new_codes(session, user)


async def _new_codes(session: AsyncSession, user: User) -> list[str]:
    """Ten codes in place of those that there were."""
    await session.execute(delete(RecoveryCode).where(RecoveryCode.user_id == user.id))
    made = [base64.b32encode(secrets.token_bytes(_CODE_BYTES)).decode() for _ in range(_CODES)]
    session.add_all(RecoveryCode(code_hash=secret_hash(one), user_id=user.id) for one in made)
    return ["-".join(one[at : at + 4] for at in range(0, 16, 4)).lower() for one in made]


async def _proven(
    sessions: Sessions, settings: Settings, principal: Principal, password: str, code: str
) -> None:
    await require_password(sessions, settings, principal, password)
    async with sessions.begin() as session:
        user = await session.get_one(User, principal.id)
    if not user.second_factor:
        raise Conflict("no_second_factor", "You have no second factor.")
    try:
        await require_code(sessions, settings, user, code, None)
    except Unauthenticated as error:
        # The caller is known, so 401 would send them to sign in again.
        raise Invalid(error.code, error.detail, field="code") from error


async def renew_codes(
    sessions: Sessions, settings: Settings, principal: Principal, password: str, code: str
) -> list[str]:
    """New recovery codes; those of before open nothing."""
    await _proven(sessions, settings, principal, password, code)
    async with sessions.begin() as session:
        user = await session.get_one(User, principal.id, with_for_update=True)
        record(session, principal, "create", "recovery_codes", user.id)
        return await _new_codes(session, user)


async def remove(
    sessions: Sessions, settings: Settings, principal: Principal, password: str, code: str
) -> None:
    """Go back to the password alone.

    Raises:
        Conflict: ``second_factor_required`` where it has to be.
    """
    await _proven(sessions, settings, principal, password, code)
    async with sessions.begin() as session:
        user = await session.get_one(User, principal.id, with_for_update=True)
        if is_required(settings, user):
            raise Conflict(
                "second_factor_required",
                "You have to have a second factor here. To change to another phone, have an admin "
                "reset it.",
            )
        await forget(session, user)
        record(session, principal, "remove", "second_factor", user.id)


async def forget(session: AsyncSession, user: User) -> None:
    """Take the second factor of ``user`` away, in the caller's transaction."""
    user.second_factor = False
    for table in (SecondFactor, RecoveryCode):
        await session.execute(delete(table).where(table.user_id == user.id))
