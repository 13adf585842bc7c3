"""Which ID tokens are believed (OpenID Connect Core 1.0, section 3.1.3.7)."""

import time
from collections.abc import Sequence
from typing import Any, Final

from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.errors import BadSignatureError, InvalidKeyIdError, JoseError
from joserfc.jwk import ECKey, KeySet, RSAKey
from joserfc.jws import JWSRegistry

from api.oidc.refusals import Refused
from core.sign_in import Provider

SIGNED: Final = (
    "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512",
)  # fmt: skip
"""Signatures with a key that only the provider has: neither ``none`` nor shared secrets."""
SKEW: Final = 60
"""Seconds that the clocks of the provider and of this machine may differ by."""
_LEAST_RSA: Final = 2048
_LONGEST: Final = 64 * 1024


class UnknownKey(Exception):
    """No key that is known has signed it; the provider may have new ones."""


def usable_keys(document: dict[str, Any]) -> KeySet:
    """The keys of a JWKS that sign, public and long enough; others are passed over.

    Raises:
        JoseError: A key cannot be read.
    """
    keys: list[RSAKey | ECKey] = []
    for one in document["keys"]:
        if one.get("use", "sig") != "sig":
            continue
        if one.get("kty") == "EC":
            keys.append(ECKey.import_key(one))
        elif one.get("kty") == "RSA":
            key = RSAKey.import_key(one)
            if key.raw_value.key_size >= _LEAST_RSA:
                keys.append(key)
    return KeySet(list(keys))


def verified(
    id_token: str,
    keys: KeySet,
    provider: Provider,
    *,
    algorithms: Sequence[str],
    nonce: str,
    access_token: str | None,
    now: float | None = None,
) -> dict[str, Any]:
    """The claims of an ID token, if all of it is as it has to be.

    Args:
        id_token: As the provider sent it.
        keys: The provider's.
        provider: Who has to have made it, and for whom.
        algorithms: What it may be signed with.
        nonce: What it has to repeat.
        access_token: What came with it, if it says anything of that.
        now: Seconds since 1970; the clock's if None.

    Raises:
        UnknownKey: It is signed with none of ``keys``.
        Refused: ``sso_token``, with what is wrong about it.
    """
    if len(id_token) > _LONGEST:
        raise Refused("sso_token", "The ID token is too long.")
    # What it does not know of a header it passes over, but for what is marked critical.
    registry = JWSRegistry(algorithms=list(algorithms), strict_check_header=False)
    try:
        token = jwt.decode(id_token, keys, algorithms=list(algorithms), registry=registry)
    except (BadSignatureError, InvalidKeyIdError) as error:
        raise UnknownKey from error
    except (JoseError, ValueError, TypeError, KeyError) as error:
        raise Refused(
            "sso_token", f"The ID token is not signed as it should be ({type(error).__name__})."
        ) from error
    claims = CodeIDToken(
        token.claims,
        token.header,
        options={
            "iss": {"essential": True, "value": provider.issuer},
            "aud": {"essential": True, "value": provider.client_id},
            "sub": {"essential": True},
            "nonce": {"essential": True, "value": nonce},
        },
        params={"nonce": nonce, "client_id": provider.client_id, "access_token": access_token},
    )
    try:
        claims.validate(now=int(time.time() if now is None else now), leeway=SKEW)
    except (JoseError, ValueError, TypeError, AttributeError, OverflowError) as error:
        claim = getattr(error, "claim", None)
        raise Refused(
            "sso_token",
            f"The ID token is not for this sign-in: {claim or type(error).__name__}"
            f"{' has passed' if type(error).__name__ == 'ExpiredTokenError' else ''}.",
        ) from error
    return dict(claims)
