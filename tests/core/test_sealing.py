"""What is sealed opens with the same secret for the same purpose, and for nothing else."""

import os
import stat
from pathlib import Path

import pytest
from pydantic import ValidationError

from core.security.sealing import KEY_FILE, Sealer, Unreadable
from core.settings import Settings

SECRET = "one secret of thirty-two letters!"


def test_what_is_sealed_opens_for_its_purpose_alone() -> None:
    sealer = Sealer.of(Settings(secret=SECRET))
    sealed = sealer.seal("sk-canary", "judge https://a.example:443")
    assert b"sk-canary" not in sealed
    assert sealed != sealer.seal("sk-canary", "judge https://a.example:443")
    again = Sealer.of(Settings(secret=SECRET))
    assert again.open(sealed, "judge https://a.example:443") == "sk-canary"
    with pytest.raises(Unreadable, match="another address"):
        again.open(sealed, "judge https://b.example:443")
    with pytest.raises(Unreadable, match="was changed"):
        again.open(sealed[:-1] + bytes([sealed[-1] ^ 1]), "judge https://a.example:443")
    other = Sealer.of(Settings(secret="x" * 32))
    with pytest.raises(Unreadable, match="KARAT_SECRET"):
        other.open(sealed, "judge https://a.example:443")
    with pytest.raises(Unreadable):
        other.open(b"", "judge https://a.example:443")
    assert "secret" not in repr(sealer)


def test_without_a_secret_the_data_directory_has_one_that_its_owner_reads(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path / "data")
    with pytest.raises(Unreadable, match="KARAT_SECRET"):
        Sealer.of(settings)
    sealed = Sealer.of(settings, make=True).seal("key", "p")
    file = settings.data_dir / KEY_FILE
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    kept = file.read_bytes()
    assert Sealer.of(settings, make=True).open(sealed, "p") == "key"
    assert file.read_bytes() == kept
    assert os.listdir(settings.data_dir) == [KEY_FILE]


def test_a_secret_that_can_be_guessed_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KARAT_SECRET", "short")
    with pytest.raises(ValidationError, match="openssl rand") as refused:
        Settings()
    assert "short" not in str(refused.value)
    monkeypatch.setenv("KARAT_SECRET", " ")
    assert Settings().secret is None
