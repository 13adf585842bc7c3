"""Codes of authenticator apps: RFC 6238 with SHA-1, six digits and 30 seconds, as all apps do."""

import base64
import hmac
import secrets
import time
from typing import Final
from urllib.parse import quote, urlencode

STEP: Final = 30
"""Seconds that a code lasts."""
_DIGITS: Final = 6
# How far clocks of phones may be off: the code before and the one after are taken as well.
_AROUND: Final = (0, -1, 1)
_BYTES: Final = 20


def new_secret() -> str:
    """160 random bits in Base32, as apps take them."""
    return base64.b32encode(secrets.token_bytes(_BYTES)).decode()


def code_at(secret: str, step: int) -> str:
    """The code of a step of 30 seconds since 1970 (RFC 4226, section 5.3)."""
    digest = hmac.digest(base64.b32decode(secret), step.to_bytes(8, "big"), "sha1")
    offset = digest[-1] & 0xF
    number = int.from_bytes(digest[offset : offset + 4], "big") & 0x7FFFFFFF
    return f"{number % 10**_DIGITS:0{_DIGITS}d}"


def step_of(secret: str, code: str, now: float | None = None) -> int | None:
    """The step that ``code`` is of, now or one beside it; None if it is of none."""
    present = int(time.time() if now is None else now) // STEP
    found = None
    for around in _AROUND:
        # All are compared, so that the time taken says nothing.
        if hmac.compare_digest(code_at(secret, present + around).encode(), code.encode()):
            found = present + around
    return found


def address(secret: str, email: str, issuer: str = "Karat") -> str:
    """What the QR code says (Google Authenticator's key URI format)."""
    label = quote(f"{issuer}:{email}", safe=":@")
    return f"otpauth://totp/{label}?{urlencode({'secret': secret, 'issuer': issuer})}"
