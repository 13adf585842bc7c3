"""Secrets that have to be used as they are: encrypted where they are kept.

The database, its dumps and backups hold only what is sealed. What opens it is ``KARAT_SECRET``, or
without that a file in the data directory, which no backup has.
"""

import hashlib
import os
import secrets
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Self

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from core.errors import OutOfOrder
from core.settings import Settings

KEY_FILE: Final = "sealing.key"
"""Its name in the data directory."""
_VERSION: Final = b"\x01"
_MARK: Final = 8
_NONCE: Final = 12


class Unreadable(OutOfOrder):
    """What was sealed cannot be opened with the secret of this installation."""

    def __init__(self, detail: str) -> None:
        """Say what is wrong, and what to do about it."""
        super().__init__("secret_unreadable", detail)


@dataclass(frozen=True)
class Sealer:
    """Seals and opens with one secret: AES-256-GCM with a random nonce.

    Attributes:
        key: 32 bytes.
    """

    key: bytes = field(repr=False)

    @classmethod
    def of(cls, settings: Settings, *, make: bool = False) -> Self:
        """The sealer of an installation.

        Args:
            settings: Whose.
            make: Whether to make the file if there is neither that nor ``KARAT_SECRET``.

        Raises:
            Unreadable: There is no secret, or the file cannot be read.
        """
        if settings.secret is not None:
            return cls(_derived(settings.secret.get_secret_value().encode()))
        path = settings.data_dir / KEY_FILE
        if make:
            _make(path)
        try:
            return cls(_derived(path.read_bytes()))
        except OSError as error:
            raise Unreadable(
                f"There is no {path} that can be read here ({error.strerror}), and KARAT_SECRET "
                "is not set. Set KARAT_SECRET to the same value for the API and all workers."
            ) from error

    def seal(self, secret: str, purpose: str) -> bytes:
        """Encrypt ``secret`` for ``purpose``: opened for another one, it is not opened at all."""
        nonce = os.urandom(_NONCE)
        head = _VERSION + self._mark + nonce
        return head + AESGCM(self.key).encrypt(nonce, secret.encode(), purpose.encode())

    def open(self, sealed: bytes, purpose: str) -> str:
        """What was sealed for ``purpose``.

        Raises:
            Unreadable: It was sealed with another secret or for another purpose, or was changed.
        """
        mark, rest = sealed[1 : 1 + _MARK], sealed[1 + _MARK :]
        if sealed[:1] != _VERSION or mark != self._mark:
            raise Unreadable(
                "It was sealed with another secret than the one of this installation, as after a "
                "restore. Set KARAT_SECRET to what it was, or enter the key again."
            )
        try:
            opened = AESGCM(self.key).decrypt(rest[:_NONCE], rest[_NONCE:], purpose.encode())
        except InvalidTag as error:
            raise Unreadable(
                "It was changed since, or belongs to another address. Enter the key again."
            ) from error
        return opened.decode()

    @property
    def _mark(self) -> bytes:
        return hashlib.sha256(b"karat mark" + self.key).digest()[:_MARK]


def _derived(secret: bytes) -> bytes:
    return HKDF(algorithm=SHA256(), length=32, salt=None, info=b"karat sealing 1").derive(secret)


def _make(path: Path) -> None:
    """Write a new secret unless there is one; of two processes the first one's stays."""
    if path.exists():
        return
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(secrets.token_hex(32).encode())
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileExistsError):
            os.link(part, path)
    finally:
        part.unlink()
