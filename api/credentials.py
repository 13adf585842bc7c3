"""Passwords and bearer secrets: how they are made, stored and compared."""

import hashlib
import secrets

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

_hasher = PasswordHasher()
# Verified when the user is unknown, so that the answer takes as long as for a known one.
_NOBODY = _hasher.hash(secrets.token_urlsafe(16))

TOKEN_PREFIX = "karat_"


def hash_password(password: str) -> str:
    return _hasher.hash(password)


def password_matches(password: str, stored: str | None) -> bool:
    try:
        return _hasher.verify(stored or _NOBODY, password) and stored is not None
    except (VerificationError, InvalidHashError):
        return False


def new_secret(prefix: str = "") -> str:
    """256 random bits in URL-safe text."""
    return prefix + secrets.token_urlsafe(32)


def secret_hash(secret: str) -> str:
    """SHA-256; a slow hash is for guessable passwords, and these have 256 random bits."""
    return hashlib.sha256(secret.encode()).hexdigest()
