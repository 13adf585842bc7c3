"""The provider of single sign-on, as the operator names it, and what groups are there for."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlsplit

from core.settings.addresses import literal
from core.states import Role

SKEW: Final = 60
"""Seconds that the clocks of the provider and of this machine may differ by."""
_HERE: Final = frozenset({"127.0.0.1", "::1"})


@dataclass(frozen=True)
class Provider:
    """Who says who people are (OpenID Connect Core 1.0).

    Attributes:
        issuer: Its address, to the letter as it stands in its tokens.
        client_id: What it calls this installation.
        client_secret: What Karat proves that with, if it has to.
        scopes: What it is asked for, ``openid`` among it; apart by spaces.
        groups_claim: Where groups are in what it says; dots lead inwards.
        roles: The role of each group; empty leaves roles to admins.
        default_role: Of those in no such group; None keeps them out.
        unverified_emails: Whether addresses count that it does not call verified.
    """

    issuer: str
    client_id: str
    client_secret: str | None = field(repr=False)
    scopes: str
    groups_claim: str
    roles: Mapping[str, Role]
    default_role: Role | None
    unverified_emails: bool

    def role_of(self, groups: Iterable[str]) -> Role | None:
        """The highest role that ``groups`` have, or the default one; None keeps somebody out."""
        found = {self.roles[group] for group in groups if group in self.roles}
        return next((role for role in Role if role in found), self.default_role)


def read_roles(text: str | None) -> dict[str, Role]:
    """Read ``karat-admins=admin, labeling=annotator``, or the same as a JSON object.

    Raises:
        ValueError: It is neither, or names a role that there is not.
    """
    said = (text or "").strip()
    try:
        pairs = json.loads(said).items() if said.startswith("{") else _pairs(said)
        return {str(group): Role(str(role).strip()) for group, role in pairs}
    except ValueError as error:
        raise ValueError(
            "KARAT_OIDC_ROLES: write group=role, group=role, with the roles admin, engineer and "
            "annotator; or a JSON object where names of groups hold commas"
        ) from error


def _pairs(text: str) -> Iterable[tuple[str, str]]:
    for part in filter(None, (one.strip() for one in text.split(","))):
        group, _, role = part.rpartition("=")
        if not group.strip():
            raise ValueError(part)
        yield group.strip(), role


def is_here(url: str) -> bool:
    """Whether ``url`` is of this machine itself, and nobody listens in between."""
    return literal(urlsplit(url).hostname or "") in _HERE


def require_secure(url: str) -> None:
    """Refuse what others could read or change on its way.

    Raises:
        ValueError: It is neither https nor of this machine.
    """
    parts = urlsplit(url)
    if not parts.hostname or not (
        parts.scheme == "https" or (parts.scheme == "http" and is_here(url))
    ):
        raise ValueError("KARAT_OIDC_ISSUER: write its address, which begins with https://")
