"""Passwords and bearer secrets: how they are made, stored and compared."""

import hashlib
import secrets
from base64 import b64encode

from anyio import CapacityLimiter, to_thread
from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from argon2.low_level import ARGON2_VERSION

_hasher = PasswordHasher()


def _nobodys() -> str:
    """A hash that is of no password, and as dear to compare with as any.

    Put together rather than computed: that would take 64 MiB and a while in each process that
    starts.
    """
    random = (secrets.token_bytes(size) for size in (_hasher.salt_len, _hasher.hash_len))
    salt, digest = (b64encode(one).decode().rstrip("=") for one in random)
    cost = f"m={_hasher.memory_cost},t={_hasher.time_cost},p={_hasher.parallelism}"
    return f"$argon2id$v={ARGON2_VERSION}${cost}${salt}${digest}"


# Verified when the user is unknown, so that the answer takes as long as for a known one.
_NOBODY = _nobodys()

TOKEN_PREFIX = "karat_"


def hash_password(password: str) -> str:
    return _hasher.hash(password)


def password_matches(password: str, stored: str | None) -> bool:
    """Whether it is the one; where there is none it takes as long to say so."""
    try:
        return _hasher.verify(stored or _NOBODY, password) and bool(stored)
    except (VerificationError, InvalidHashError):
        return False


# argon2 takes 64 MiB and tens of milliseconds by design. In threads annotators do not wait behind
# a login; a few at once, or a flood of logins would take all the memory.
_AT_ONCE = CapacityLimiter(4)


async def hash_in_thread(password: str) -> str:
    """``hash_password``; call it while no transaction is open, which would wait as well."""
    return await to_thread.run_sync(hash_password, password, limiter=_AT_ONCE)


async def match_in_thread(password: str, stored: str | None) -> bool:
    """``password_matches``; call it while no transaction is open, which would wait as well."""
    return await to_thread.run_sync(password_matches, password, stored, limiter=_AT_ONCE)


def new_secret(prefix: str = "") -> str:
    """256 random bits in URL-safe text."""
    return prefix + secrets.token_urlsafe(32)


def secret_hash(secret: str) -> str:
    """SHA-256; a slow hash is for guessable passwords, and these have 256 random bits."""
    return hashlib.sha256(secret.encode()).hexdigest()
