"""Talks to the provider of single sign-on: discovery, keys, the code for tokens, UserInfo.

OpenID Connect Core 1.0 and Discovery 1.0. Where the provider is the operator has said; what it
answers is read within limits, and no redirect is followed.
"""

import asyncio
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import httpx
from authlib.oauth2.rfc7636 import create_s256_code_challenge
from authlib.oidc.discovery import get_well_known_url
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

from api.oidc.refusals import Refused
from api.oidc.tokens import SIGNED, UnknownKey, ended, usable_keys, verified
from core.settings.sign_in import Provider, is_here, require_secure

_SECONDS: Final = 10.0
_LIFE: Final = 3600.0
# After a failure nobody waits for the next one for a while.
_PAUSE: Final = 5.0
_MOST: Final = 1 << 20
_REQUIRED: Final = ("authorization_endpoint", "token_endpoint", "jwks_uri")
_OPTIONAL: Final = ("userinfo_endpoint", "end_session_endpoint")


@dataclass(frozen=True)
class Metadata:
    """What a provider says of itself.

    Attributes:
        endpoints: Addresses, by the names of Discovery 1.0.
        algorithms: What it signs ID tokens with, of those that are taken here.
        methods: How clients may show who they are at the token endpoint.
        names_issuer: Whether it says who it is as it sends somebody back (RFC 9207).
    """

    endpoints: Mapping[str, str]
    algorithms: tuple[str, ...]
    methods: tuple[str, ...]
    names_issuer: bool


@dataclass(frozen=True)
class Said:
    """What the provider said of somebody who has signed in.

    Attributes:
        claims: Of the ID token, and of UserInfo where the token lacks them.
        id_token: As it came.
    """

    claims: dict[str, Any]
    id_token: str


class ProviderClient:
    """One provider, whose description and keys are kept for an hour."""

    def __init__(self, provider: Provider) -> None:
        self.provider = provider
        here = is_here(provider.issuer)
        self._http = httpx.AsyncClient(timeout=_SECONDS, trust_env=not here)
        self._lock = asyncio.Lock()
        self._metadata: Metadata | None = None
        self._keys: KeySet | None = None
        self._until = self._failed = 0.0

    async def close(self) -> None:
        await self._http.aclose()

    async def end_session_endpoint(self) -> str | None:
        """Where to sign out, as it was last said: nobody who goes waits for news of that.

        Raises:
            Refused: ``sso_unavailable``.
        """
        known = self._metadata or await self.metadata()
        return known.endpoints.get("end_session_endpoint")

    async def metadata(self) -> Metadata:
        """What the provider says of itself, asked once an hour.

        Raises:
            Refused: ``sso_unavailable``.
        """
        async with self._lock:
            now = time.monotonic()
            if self._metadata is None or now > self._until:
                if self._failed and now < self._failed + _PAUSE:
                    raise Refused("sso_unavailable", "The provider did not answer just now.")
                try:
                    self._metadata = await self._discovered()
                    self._keys, self._until, self._failed = None, now + _LIFE, 0.0
                except Refused:
                    self._failed = now
                    # What it said an hour ago is likely to hold.
                    if self._metadata is None:
                        raise
                    self._until = now + _PAUSE
            return self._metadata

    async def _discovered(self) -> Metadata:
        url = get_well_known_url(self.provider.issuer, external=True)
        found = await self._json("GET", url)
        if found.get("issuer") != self.provider.issuer:
            raise Refused(
                "sso_unavailable",
                "The provider calls itself otherwise than KARAT_OIDC_ISSUER, to the letter.",
            )
        endpoints = {}
        for name in (*_REQUIRED, *_OPTIONAL):
            address = found.get(name)
            if address is None and name in _OPTIONAL:
                continue
            try:
                require_secure(str(address))
            except ValueError as error:
                raise Refused(
                    "sso_unavailable", f"The provider's {name} is no address with https."
                ) from error
            endpoints[name] = str(address)
        return Metadata(
            endpoints,
            _known(found.get("id_token_signing_alg_values_supported"), ("RS256",), SIGNED),
            _known(
                found.get("token_endpoint_auth_methods_supported"),
                ("client_secret_basic",),
                ("client_secret_basic", "client_secret_post"),
            ),
            found.get("authorization_response_iss_parameter_supported") is True,
        )

    async def authorization_url(
        self, *, state: str, nonce: str, verifier: str, redirect_uri: str
    ) -> str:
        """Where to send a browser that is to come back with a code.

        Args:
            state: What it has to bring back.
            nonce: What the ID token has to repeat.
            verifier: What the challenge is made of (PKCE, RFC 7636).
            redirect_uri: Where to send it back to.

        Raises:
            Refused: ``sso_unavailable``.
        """
        metadata = await self.metadata()
        asked = {
            "response_type": "code",
            "client_id": self.provider.client_id,
            "redirect_uri": redirect_uri,
            "scope": self.provider.scopes,
            "state": state,
            "nonce": nonce,
            "code_challenge": create_s256_code_challenge(verifier),
            "code_challenge_method": "S256",
        }
        return str(httpx.URL(metadata.endpoints["authorization_endpoint"]).copy_merge_params(asked))

    async def redeemed(self, code: str, *, verifier: str, nonce: str, redirect_uri: str) -> Said:
        """Change a code for what the provider says of whoever brought it.

        Args:
            code: As it came with the browser.
            verifier: What the challenge was made of (PKCE, RFC 7636).
            nonce: What the ID token has to repeat.
            redirect_uri: Where the browser was sent back to.

        Raises:
            Refused: ``sso_declined``, ``sso_unavailable`` or ``sso_token``.
        """
        metadata = await self.metadata()
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": redirect_uri,
            "code_verifier": verifier,
        }
        answer = await self._token(metadata, form)
        id_token, access_token = answer.get("id_token"), answer.get("access_token")
        if not isinstance(id_token, str):
            raise Refused("sso_token", "The provider's answer has no ID token.")
        access = access_token if isinstance(access_token, str) else None
        claims = await self._verified(metadata, id_token, nonce, access)
        return Said(await self._completed(metadata, claims, access), id_token)

    async def _token(self, metadata: Metadata, form: dict[str, str]) -> dict[str, Any]:
        provider, auth = self.provider, None
        if provider.client_secret is None:
            form["client_id"] = provider.client_id
        elif "client_secret_basic" in metadata.methods:
            auth = httpx.BasicAuth(_encoded(provider.client_id), _encoded(provider.client_secret))
        else:
            form |= {"client_id": provider.client_id, "client_secret": provider.client_secret}
        return await self._json("POST", metadata.endpoints["token_endpoint"], form=form, auth=auth)

    async def _verified(
        self, metadata: Metadata, id_token: str, nonce: str, access_token: str | None
    ) -> dict[str, Any]:
        return await self._checked(
            metadata,
            lambda keys: verified(
                id_token,
                keys,
                self.provider,
                algorithms=metadata.algorithms,
                nonce=nonce,
                access_token=access_token,
            ),
        )

    async def ended(self, logout_token: str) -> dict[str, Any]:
        """The claims of a logout token, which says whose session, or which, is over there.

        Raises:
            Refused: ``sso_unavailable`` or ``sso_token``.
        """
        metadata = await self.metadata()
        return await self._checked(
            metadata,
            lambda keys: ended(logout_token, keys, self.provider, algorithms=metadata.algorithms),
        )

    async def _checked(
        self, metadata: Metadata, check: Callable[[KeySet], dict[str, Any]]
    ) -> dict[str, Any]:
        kept = self._keys
        if kept is not None:
            try:
                return check(kept)
            except UnknownKey:
                # The provider has other keys by now.
                pass
        self._keys = await self._fetched(metadata)
        try:
            return check(self._keys)
        except UnknownKey as error:
            raise Refused("sso_token", "It is signed with none of the provider's keys.") from error

    async def _fetched(self, metadata: Metadata) -> KeySet:
        found = await self._json("GET", metadata.endpoints["jwks_uri"])
        try:
            return usable_keys(found)
        except (JoseError, ValueError, TypeError, KeyError, AttributeError) as error:
            raise Refused("sso_unavailable", "The provider's keys cannot be read.") from error

    async def _completed(
        self, metadata: Metadata, claims: dict[str, Any], access_token: str | None
    ) -> dict[str, Any]:
        """``claims``, with those of UserInfo where they lack the address, the name or groups."""
        needed = {"email", "name", self.provider.groups_claim.partition(".")[0]}
        endpoint = metadata.endpoints.get("userinfo_endpoint")
        if access_token is None or endpoint is None or needed <= claims.keys():
            return claims
        more = await self._json("GET", endpoint, token=access_token)
        if more.get("sub") != claims["sub"]:
            raise Refused("sso_token", "UserInfo is of somebody else than the ID token.")
        return _joined(claims, more)

    async def _json(
        self,
        method: str,
        url: str,
        *,
        form: Mapping[str, str] | None = None,
        auth: httpx.Auth | None = None,
        token: str | None = None,
    ) -> dict[str, Any]:
        headers = {"Accept": "application/json"}
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        request = self._http.build_request(method, url, data=form, headers=headers)
        try:
            async with asyncio.timeout(_SECONDS):
                response = await self._http.send(request, auth=auth, stream=True)
                try:
                    content = await _read(response)
                finally:
                    await response.aclose()
            found = json.loads(content)
        except (httpx.HTTPError, TimeoutError, OSError, ValueError, RecursionError) as error:
            raise Refused(
                "sso_unavailable",
                f"The provider did not answer as it should ({type(error).__name__}).",
            ) from error
        if form is not None and response.status_code in {400, 401, 403}:
            said = found.get("error") if isinstance(found, dict) else None
            known = said if said in _SAID else "an error"
            raise Refused("sso_declined", f"The provider did not take the code: {known}.")
        if response.status_code != httpx.codes.OK or not isinstance(found, dict):
            raise Refused("sso_unavailable", f"The provider answered {response.status_code}.")
        return found


# RFC 6749, section 5.2.
_SAID: Final = frozenset(
    {
        "invalid_request",
        "invalid_client",
        "invalid_grant",
        "unauthorized_client",
        "unsupported_grant_type",
        "invalid_scope",
    }
)


async def _read(response: httpx.Response) -> bytes:
    content = bytearray()
    async for part in response.aiter_bytes():
        content += part
        if len(content) > _MOST:
            raise ValueError("too long")
    return bytes(content)


def _joined(claims: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
    """``claims``, and ``more`` where they lack it; an address is verified by who names it."""
    joined = {**more, **claims}
    if claims.get("email") != more.get("email"):
        naming = claims if "email" in claims else more
        joined["email_verified"] = naming.get("email_verified")
    return joined


def _known(said: object, default: tuple[str, ...], taken: tuple[str, ...]) -> tuple[str, ...]:
    """Of what a provider says it can, what is taken here."""
    listed = said if isinstance(said, list) else default
    return tuple(one for one in taken if one in listed)


def _encoded(text: str) -> str:
    """As RFC 6749, section 2.3.1, wants names and secrets before they are joined."""
    return str(httpx.QueryParams({"": text}))[1:]
