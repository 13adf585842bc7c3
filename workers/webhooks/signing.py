"""Signatures by the convention of Standard Webhooks (standardwebhooks.com, version 1)."""

import base64
import hmac
from collections.abc import Iterable

from core.webhooks import SECRET_PREFIX


def signature(secrets: Iterable[str], message_id: str, timestamp: int, body: bytes) -> str:
    """The header ``webhook-signature``: one signature a secret, with spaces between.

    Args:
        secrets: Each ``whsec_`` and the key in base 64.
        message_id: The header ``webhook-id``.
        timestamp: The header ``webhook-timestamp``, seconds since 1970.
        body: What is sent.
    """
    signed = f"{message_id}.{timestamp}.".encode() + body
    return " ".join(_one(secret, signed) for secret in secrets)


def _one(secret: str, signed: bytes) -> str:
    key = base64.b64decode(secret.removeprefix(SECRET_PREFIX))
    return f"v1,{base64.b64encode(hmac.digest(key, signed, 'sha256')).decode()}"
