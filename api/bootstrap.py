"""Creates the first admin: ``python -m api.bootstrap --email admin@example.org``.

Prints ``{"email", "password"}`` once, and ``{}`` when there is a user already.
"""

import argparse
import json
import secrets
import sys

from sqlalchemy import select, text

from api.credentials import hash_password
from core.db import sync_engine, sync_sessions
from core.settings import settings
from core.states import Role
from core.tables import User


def bootstrap(email: str, password: str | None) -> dict[str, str]:
    """Create the admin unless somebody is there; returns the credentials or nothing."""
    engine = sync_engine(settings())
    try:
        with sync_sessions(engine).begin() as session:
            # Two installations that start at once must not make two first admins.
            session.execute(text("LOCK TABLE users IN SHARE ROW EXCLUSIVE MODE"))
            if session.scalar(select(User.id).limit(1)) is not None:
                return {}
            password = password or secrets.token_urlsafe(12)
            session.add(
                User(
                    email=email.lower(),
                    name="Admin",
                    role=Role.ADMIN,
                    password_hash=hash_password(password),
                    active=True,
                )
            )
        return {"email": email.lower(), "password": password}
    finally:
        engine.dispose()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--email", required=True)
    parser.add_argument("--password", help="generated if not given")
    arguments = parser.parse_args()
    json.dump(bootstrap(arguments.email, arguments.password), sys.stdout)


if __name__ == "__main__":
    main()
