"""A small provider of single sign-on: real HTTP, real keys, the protocol as it is written.

It stands in for Keycloak, Entra and the like, and can be made to lie.
"""

import base64
import contextlib
import hashlib
import html
import json
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, unquote_plus, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import ECKey, RSAKey

CLIENT, SECRET = "karat", "a secret: with %, + and a colon"
Claims = dict[str, Any]


@cache
def first_key() -> RSAKey:
    """Made once: that takes a while."""
    return RSAKey.generate_key(2048)


@dataclass
class Grant:
    """What a code stands for."""

    person: str
    asked: dict[str, str]


@dataclass
class Provider:
    """Who there is, what the provider signs with, and what it has been asked.

    Attributes:
        url: Its issuer.
        people: What it says of each person, by the name they are chosen by.
        alter: Changes the claims of ID tokens before they are signed.
        sign: Makes the token of claims; with the key if None.
        described: What its discovery document says otherwise.
        userinfo: What UserInfo says otherwise.
        ended: Parameters of each sign-out.
        fetched: Paths that anybody has asked for.
        in_token: Whether ID tokens say all that UserInfo does.
        grants: What each code stands for that was not used yet.
        access: Whose each access token is.
        key: What it signs with.
        header: Of its tokens.
    """

    url: str
    people: dict[str, Claims] = field(default_factory=dict)
    alter: Callable[[Claims], Claims] = field(default=lambda claims: claims)
    sign: Callable[[Claims], str] | None = None
    described: dict[str, Any] = field(default_factory=dict)
    userinfo: dict[str, Any] = field(default_factory=dict)
    ended: list[dict[str, str]] = field(default_factory=list)
    fetched: list[str] = field(default_factory=list)
    in_token: bool = True
    grants: dict[str, Grant] = field(default_factory=dict)
    access: dict[str, str] = field(default_factory=dict)

    key: RSAKey | ECKey = field(default_factory=lambda: first_key())
    header: dict[str, Any] = field(default_factory=lambda: {"alg": "RS256", "kid": "first"})

    def rotate(self) -> None:
        """Sign with a new key of another kind from now on; the one before is forgotten."""
        self.key = ECKey.generate_key("P-256")
        self.header = {"alg": "ES256", "kid": secrets.token_hex(4)}

    def signed(self, claims: Claims) -> str:
        return jwt.encode(self.header, claims, self.key, algorithms=[self.header["alg"]])

    def id_token(self, grant: Grant, access_token: str) -> str:
        now = int(time.time())
        half = hashlib.sha256(access_token.encode()).digest()[:16]
        person = self.people[grant.person]
        claims = {
            "iss": self.url,
            "aud": CLIENT,
            "iat": now,
            "exp": now + 300,
            "nonce": grant.asked["nonce"],
            "at_hash": base64.urlsafe_b64encode(half).decode().rstrip("="),
            **(person if self.in_token else {"sub": person["sub"]}),
        }
        claims = self.alter(claims)
        return (self.sign or self.signed)(claims)

    def reset(self) -> None:
        """Tell the truth again, of nobody."""
        vars(self).update(vars(Provider(self.url)))


class _Handler(BaseHTTPRequestHandler):
    provider: Provider

    def log_message(self, *_: Any) -> None:
        pass

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        asked = dict(parse_qsl(parts.query, keep_blank_values=True))
        self.provider.fetched.append(parts.path)
        routes: dict[str, Callable[[dict[str, str]], None]] = {
            "/.well-known/openid-configuration": self._describe,
            "/jwks": self._keys,
            "/authorize": self._authorize,
            "/userinfo": self._userinfo,
            "/logout": self._logout,
        }
        routes.get(parts.path, self._nothing)(asked)

    def _nothing(self, _: dict[str, str]) -> None:
        self._send(404, {})

    def do_POST(self) -> None:
        self.provider.fetched.append(self.path)
        length = int(self.headers["Content-Length"])
        self._token(dict(parse_qsl(self.rfile.read(length).decode())))

    def _describe(self, _: dict[str, str]) -> None:
        url = self.provider.url
        said = {
            "issuer": url,
            "authorization_endpoint": f"{url}/authorize",
            "token_endpoint": f"{url}/token",
            "jwks_uri": f"{url}/jwks",
            "userinfo_endpoint": f"{url}/userinfo",
            "end_session_endpoint": f"{url}/logout",
            "id_token_signing_alg_values_supported": ["RS256", "ES256", "HS256", "none"],
            "authorization_response_iss_parameter_supported": True,
        }
        self._send(200, {**said, **self.provider.described})

    def _keys(self, _: dict[str, str]) -> None:
        own = {**self.provider.key.as_dict(private=False), "kid": self.provider.header["kid"]}
        self._send(200, {"keys": [{"kty": "AKP", "alg": "ML-DSA-44"}, own]})

    def _authorize(self, asked: dict[str, str]) -> None:
        """A page to choose who one is; with ``person`` the browser goes back with a code."""
        right = asked.get("client_id") == CLIENT and asked.get("response_type") == "code"
        if not right or asked.get("code_challenge_method") != "S256":
            self._send(400, {"error": "invalid_request"})
            return
        person = asked.pop("person", None)
        if person is None:
            self._page(asked)
            return
        answer: dict[str, str] = {"state": asked["state"], "iss": self.provider.url}
        if person in self.provider.people:
            code = secrets.token_urlsafe(8)
            self.provider.grants[code] = Grant(person, asked)
            answer["code"] = code
        else:
            answer["error"] = "access_denied"
        self._redirect(f"{asked['redirect_uri']}?{urlencode(answer)}")

    def _page(self, asked: Mapping[str, str]) -> None:
        hidden = "".join(
            f'<input type="hidden" name="{html.escape(name)}" value="{html.escape(value)}">'
            for name, value in asked.items()
        )
        buttons = "".join(
            f'<button name="person" value="{name}">{name}</button>' for name in self.provider.people
        )
        page = f"<!doctype html><h1>Who are you?</h1><form>{hidden}{buttons}</form>"
        self._reply(200, page.encode(), "text/html; charset=utf-8")

    def _token(self, form: dict[str, str]) -> None:
        given = base64.b64decode(self.headers.get("Authorization", "").partition(" ")[2]).decode()
        client, _, secret = given.partition(":")
        if (unquote_plus(client), unquote_plus(secret)) != (CLIENT, SECRET):
            self._send(401, {"error": "invalid_client"})
            return
        # A code is good once, for the browser and the address that it was made for.
        grant = self.provider.grants.pop(form.get("code", ""), None)
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        if (
            grant is None
            or grant.asked["code_challenge"] != challenge
            or grant.asked["redirect_uri"] != form.get("redirect_uri")
        ):
            self._send(400, {"error": "invalid_grant"})
            return
        access = secrets.token_urlsafe(16)
        self.provider.access[access] = grant.person
        token = self.provider.id_token(grant, access)
        self._send(200, {"access_token": access, "token_type": "Bearer", "id_token": token})

    def _userinfo(self, _: dict[str, str]) -> None:
        given = self.headers.get("Authorization", "")
        person = self.provider.access.get(given.removeprefix("Bearer "))
        if person is None:
            self._send(401, {"error": "invalid_token"})
            return
        self._send(200, {**self.provider.people[person], **self.provider.userinfo})

    def _logout(self, asked: dict[str, str]) -> None:
        self.provider.ended.append(asked)
        self._redirect(asked["post_logout_redirect_uri"])

    def _redirect(self, where: str) -> None:
        self.send_response(302)
        self.send_header("Location", where)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _send(self, status: int, said: Mapping[str, Any]) -> None:
        self._reply(status, json.dumps(said).encode(), "application/json")

    def _reply(self, status: int, content: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


@contextlib.contextmanager
def provider_running() -> Iterator[Provider]:
    """Start it on this machine, on a site of its own: Karat is 127.0.0.1 to browsers."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    found = Provider(f"http://localhost:{server.server_port}")
    server.RequestHandlerClass = type("Handler", (_Handler,), {"provider": found})
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield found
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def person(name: str, *groups: str, **more: Any) -> Claims:
    """What a provider says of somebody."""
    return {
        "sub": f"id-of-{name}",
        "name": name.title(),
        "email": f"{name}@example.org",
        "email_verified": True,
        "groups": list(groups),
        **more,
    }
