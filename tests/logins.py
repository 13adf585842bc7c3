"""Ada, who can log in: see the fixture ``ada``."""

from typing import Any, Final

from fastapi.testclient import TestClient

EMAIL: Final = "ada@example.org"
PASSWORD: Final = "a long password"


def log_in(http: TestClient, password: str = PASSWORD, email: str = EMAIL, **more: str) -> Any:
    """What the server answers; ``more`` is what else is typed, as a code."""
    return http.post("/api/auth/login", json={"email": email, "password": password, **more})
