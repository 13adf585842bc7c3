"""Creates the first admin: ``python -m api.bootstrap --email admin@example.org``.

Prints ``{"email", "password"}`` once, and ``{}`` when there is a user already. With ``--reset`` it
gives an admin who is locked out a new password, takes their second factor away, and makes them
active again. For an hour that password opens the account also where single sign-on is the only way,
at ``/login?password``.
"""

import argparse
import json
import secrets
import sys
from datetime import UTC, datetime, timedelta
from typing import Final

from sqlalchemy import delete, func, select, text, update

from api.callers.credentials import hash_password
from api.callers.login_limits import of_account
from core.database.engines import sync_engine, sync_sessions
from core.settings import settings
from core.states import Role
from core.tables import (
    ApiToken,
    Audit,
    LoginAttempt,
    LoginSession,
    RecoveryCode,
    SecondFactor,
    User,
)

# How long the password that was printed opens an account where others have to come by single
# sign-on.
_OPEN: Final = timedelta(hours=1)


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


def reset(email: str, password: str | None) -> dict[str, str]:
    """Give the admin of this address a password, and end their sessions; nothing if there is none.

    Whoever reaches the database may do anything with it, so nobody is asked who they are.
    """
    engine = sync_engine(settings())
    try:
        with sync_sessions(engine).begin() as session:
            statement = select(User).where(
                func.lower(User.email) == email.lower(), User.role == Role.ADMIN
            )
            user = session.scalar(statement.with_for_update())
            if user is None:
                return {}
            password = password or secrets.token_urlsafe(12)
            user.password_hash = hash_password(password)
            if not user.active:
                # What they had before opens nothing again.
                session.execute(
                    update(ApiToken)
                    .where(ApiToken.user_id == user.id, ApiToken.revoked_at.is_(None))
                    .values(revoked_at=func.now())
                )
            user.active = True
            user.second_factor = False
            user.password_until = datetime.now(UTC) + _OPEN
            for table in (SecondFactor, RecoveryCode):
                session.execute(delete(table).where(table.user_id == user.id))
            session.execute(delete(LoginAttempt).where(of_account(user.email)))
            session.execute(delete(LoginSession).where(LoginSession.user_id == user.id))
            session.add(
                Audit(
                    verb="reset_password",
                    object_type="user",
                    object_id=user.id,
                    detail={"by": "bootstrap"},
                )
            )
            return {"email": user.email, "password": password}
    finally:
        engine.dispose()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--email", required=True)
    parser.add_argument("--password", help="generated if not given")
    parser.add_argument("--reset", action="store_true", help="an admin who is locked out")
    arguments = parser.parse_args()
    act = reset if arguments.reset else bootstrap
    json.dump(act(arguments.email, arguments.password), sys.stdout)


if __name__ == "__main__":
    main()
