"""Which tokens of the provider are believed: those that say who signs in, or that it is over.

OpenID Connect Core 1.0, section 3.1.3.7, and Back-Channel Logout 1.0, section 2.6.
"""

import time
from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any, Final, TypeGuard

from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.errors import BadSignatureError, InvalidKeyIdError, JoseError
from joserfc.jwk import ECKey, KeySet, RSAKey
from joserfc.jws import JWSRegistry

from api.oidc.refusals import Refused
from core.settings.sign_in import SKEW, Provider

SIGNED: Final = (
    "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512",
)  # fmt: skip
"""Signatures with a key that only the provider has: neither ``none`` nor shared secrets."""
_LEAST_RSA: Final = 2048
# Section 2.4 of Back-Channel Logout recommends an end after two minutes; some set none.
_LATEST: Final = 600
_LOGOUT: Final = "http://schemas.openid.net/event/backchannel-logout"
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
    token = _signed(id_token, keys, algorithms)
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


def ended(
    logout_token: str,
    keys: KeySet,
    provider: Provider,
    *,
    algorithms: Sequence[str],
    now: float | None = None,
) -> dict[str, Any]:
    """The claims of a logout token, if all of it is as it has to be.

    Args:
        logout_token: As it was brought, by whomever.
        keys: The provider's.
        provider: Who has to have made it, and for whom.
        algorithms: What it may be signed with.
        now: Seconds since 1970; the clock's if None.

    Raises:
        UnknownKey: It is signed with none of ``keys``.
        Refused: ``sso_token``, with what is wrong about it.
    """
    token = _signed(logout_token, keys, algorithms)
    kind = str(token.header.get("typ", "JWT")).lower().removeprefix("application/")
    claims, at = token.claims, time.time() if now is None else now
    made, until = (claims.get(name) for name in ("iat", "exp"))
    events = claims.get("events")
    event = events.get(_LOGOUT) if isinstance(events, Mapping) else None
    named = [claims[name] for name in ("sub", "sid") if name in claims]
    right = {
        "typ": kind in {"jwt", "logout+jwt"},
        "iss": claims.get("iss") == provider.issuer,
        "aud": provider.client_id in _several(claims.get("aud")),
        "iat": _is_time(made) and at - _LATEST <= made <= at + SKEW,
        "exp": "exp" not in claims or (_is_time(until) and until > at - SKEW),
        "jti": isinstance(claims.get("jti"), str) and claims["jti"] != "",
        "events": isinstance(event, Mapping),
        # What an ID token has: none of those is taken for a logout token.
        "nonce": "nonce" not in claims,
        "sub": bool(named) and all(isinstance(one, str) and one for one in named),
    }
    if wrong := [name for name, fine in right.items() if not fine]:
        raise Refused("sso_token", f"The logout token is not one for here: {', '.join(wrong)}.")
    return dict(claims)


def _signed(token: str, keys: KeySet, algorithms: Sequence[str]) -> jwt.Token:
    """A token that one of ``keys`` has signed."""
    if len(token) > _LONGEST:
        raise Refused("sso_token", "The token is too long.")
    # What it does not know of a header it passes over, but for what is marked critical.
    registry = JWSRegistry(algorithms=list(algorithms), strict_check_header=False)
    try:
        return jwt.decode(token, keys, algorithms=list(algorithms), registry=registry)
    except (BadSignatureError, InvalidKeyIdError) as error:
        raise UnknownKey from error
    except (JoseError, ValueError, TypeError, KeyError) as error:
        raise Refused(
            "sso_token", f"The token is not signed as it should be ({type(error).__name__})."
        ) from error


def _several(said: object) -> list[Any]:
    return said if isinstance(said, list) else [said]


def _is_time(said: object) -> TypeGuard[float]:
    return isinstance(said, int | float) and not isinstance(said, bool) and isfinite(said)
