"""Which ID tokens are believed: of a provider that lies, and of those who forge."""

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import anyio
import pytest
from joserfc import jwt
from joserfc.jwk import ECKey, RSAKey
from joserfc.jws import JWSRegistry
from joserfc.registry import HeaderParameter
from pydantic import SecretStr

from api.oidc.client import ProviderClient
from api.oidc.people import _subject
from api.oidc.refusals import Refused
from core.settings import Settings
from tests.provider import CLIENT, SECRET, Claims, Provider, first_key, provider_running

Standing = Callable[[Claims, str], str | None]
Alter = Callable[[Claims], Claims]


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    with provider_running() as found:
        yield found


def _without(name: str) -> Callable[[Claims], Claims]:
    return lambda claims: {key: value for key, value in claims.items() if key != name}


def _said(**changes: Any) -> Callable[[Claims], Claims]:
    return lambda claims: {**claims, **changes}


def _ago(**seconds: int) -> Callable[[Claims], Claims]:
    return lambda claims: {
        **claims, **{name: int(time.time()) + value for name, value in seconds.items()}
    }  # fmt: skip


LIES: dict[str, tuple[Alter, bool]] = {
    "another issuer": (_said(iss="https://evil.example"), False),
    "no issuer": (_without("iss"), False),
    "issuer in a list": (lambda claims: {**claims, "iss": [claims["iss"]]}, False),
    "for somebody else": (_said(aud="another"), False),
    "for several, ours not named as the party": (_said(aud=[CLIENT, "another"]), False),
    "for several, ours the party": (_said(aud=[CLIENT, "another"], azp=CLIENT), True),
    "for us, another party": (_said(azp="another"), False),
    "no audience": (_without("aud"), False),
    "another nonce": (_said(nonce="another"), False),
    "no nonce": (_without("nonce"), False),
    "of another access token": (_said(at_hash="AAAAAAAAAAAAAAAAAAAAAA"), False),
    "expired": (_ago(exp=-90), False),
    "expired within the skew": (_ago(exp=-30), True),
    "no end": (_without("exp"), False),
    "an end that is no number": (_said(exp="never"), False),
    "endless": (_said(exp=float("nan")), False),
    "of the future": (_ago(iat=90), False),
    "of the future within the skew": (_ago(iat=30, nbf=30), True),
    "not yet": (_ago(nbf=90), False),
    "no beginning": (_without("iat"), False),
    "of nobody": (_without("sub"), False),
    "of an empty name": (_said(sub=""), False),
    "of a number": (_said(sub=7), False),
}


@pytest.fixture
def standing(provider: Provider) -> Standing:
    """Checks tokens as a sign-in does, without a database."""
    settings = Settings(
        oidc_issuer=provider.url, oidc_client_id=CLIENT, oidc_client_secret=SecretStr(SECRET)
    )

    def ask(claims: Claims, token: str) -> str | None:
        async def check() -> None:
            assert settings.provider is not None
            client = ProviderClient(settings.provider)
            try:
                metadata = await client.metadata()
                found = await client._verified(metadata, token, claims["nonce"], "access")
                _subject(found)
            finally:
                await client.close()

        try:
            anyio.run(check)
        except Refused as refused:
            return refused.code
        return None

    return ask


@pytest.fixture
def claims(provider: Provider) -> Claims:
    """Of a token that is right."""
    now = int(time.time())
    half = hashlib.sha256(b"access").digest()[:16]
    return {
        "iss": provider.url, "aud": CLIENT, "sub": "x", "nonce": "n", "iat": now, "exp": now + 60,
        "at_hash": base64.urlsafe_b64encode(half).decode().rstrip("="),
    }  # fmt: skip


@pytest.mark.parametrize("lie", LIES)
def test_a_token_counts_only_as_it_has_to_be(
    standing: Standing, provider: Provider, claims: Claims, lie: str
) -> None:
    alter, right = LIES[lie]
    assert standing(claims, provider.signed(alter(claims))) == (None if right else "sso_token")


def _encoded(part: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=")


ODD = JWSRegistry({"odd": HeaderParameter("odd", "str")})


def _unsigned(provider: Provider, claims: Claims) -> str:
    return f"{_encoded(provider.header)}.{_encoded(claims)}."


def _changed(provider: Provider, claims: Claims) -> str:
    head, _, signature = provider.signed(claims).split(".")
    return f"{head}.{_encoded({**claims, 'sub': 'y'})}.{signature}"


def _by_own_key(provider: Provider, claims: Claims) -> str:
    return jwt.encode(provider.header, claims, RSAKey.generate_key(2048))


def _with_own_key(_: Provider, claims: Claims) -> str:
    own = ECKey.generate_key("P-256")
    return jwt.encode({"alg": "ES256", "jwk": own.as_dict(private=False)}, claims, own)


def _shared(secret: bytes) -> Callable[[Provider, Claims], str]:
    """Signed with what is no secret, or not the provider's alone."""

    def forge(provider: Provider, claims: Claims) -> str:
        head = _encoded({"alg": "HS256", "kid": provider.header["kid"]})
        signed = f"{head}.{_encoded(claims)}"
        digest = hmac.digest(secret, signed.encode(), "sha256")
        return f"{signed}.{base64.urlsafe_b64encode(digest).decode().rstrip('=')}"

    return forge


NONE = _encoded({"alg": "none"})
FORGERIES: dict[str, Callable[[Provider, Claims], str]] = {
    "said to have no signature": lambda _, claims: (
        f"{_encoded({'alg': 'none'})}.{_encoded(claims)}."
    ),
    "signature left out": _unsigned,
    "changed after signing": _changed,
    "a key of one's own under the same name": _by_own_key,
    "a key that comes with it": _with_own_key,
    "the public key as a shared secret": _shared(first_key().as_pem(private=False)),
    "the client's secret as a shared secret": _shared(SECRET.encode()),
    "something critical that nobody knows": lambda provider, claims: jwt.encode(
        {**provider.header, "crit": ["odd"], "odd": "a"}, claims, provider.key, registry=ODD
    ),
    "no token": lambda *_: "abc",
    "no JSON": lambda *_: "e30.e30.e30",
    "a list": lambda provider, _: f"{_encoded(provider.header)}.{_encoded([1])}.AAAA",
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_no_forged_token_counts(
    standing: Standing, provider: Provider, claims: Claims, forgery: str
) -> None:
    assert standing(claims, provider.signed(claims)) is None
    assert standing(claims, FORGERIES[forgery](provider, claims)) == "sso_token"
