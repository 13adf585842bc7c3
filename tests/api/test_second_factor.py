"""A second factor beside the password: set up, asked for, required, lost and reset."""

import base64
import time
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import delete, select, update

from api.bootstrap import reset
from api.second_factor import totp
from core.settings import Settings
from core.states import Role
from core.tables import LoginAttempt, RecoveryCode, SecondFactor, User
from tests.logins import EMAIL, PASSWORD, log_in
from tests.world import World

# RFC 6238, appendix B, with SHA-1; the last six digits of eight.
RFC = base64.b32encode(b"12345678901234567890").decode()


class Phone:
    """An authenticator app; each code is another 30 seconds', as if time went by."""

    def __init__(self, world: World, secret: str) -> None:
        self.world, self.secret = world, secret

    def code(self, around: int = 0) -> str:
        return totp.code_at(self.secret, int(time.time()) // totp.STEP + around)

    def later(self) -> str:
        """A code that was not used: what was used is taken for long ago."""
        self.world.session.execute(update(SecondFactor).values(last_step=1))
        self.world.session.commit()
        return self.code()


def set_up(http: TestClient, world: World) -> tuple[Phone, list[str]]:
    """Add a second factor to whoever is signed in; the app, and recovery codes."""
    began = http.post("/api/auth/second-factor", json={"password": PASSWORD})
    assert began.status_code == 201, began.text
    phone = Phone(world, began.json()["secret"])
    done = http.post("/api/auth/second-factor/confirm", json={"code": phone.code()})
    assert done.status_code == 200, done.text
    return phone, done.json()["recovery_codes"]


@pytest.mark.parametrize(
    ("now", "code"), [(1234567890, "005924"), (1111111109, "081804"), (20000000000, "353130")]
)
def test_codes_are_those_of_the_standard(now: int, code: str) -> None:
    assert totp.code_at(RFC, now // totp.STEP) == code
    for off in (-30, 0, 30):
        assert totp.step_of(RFC, code, now + off) == now // totp.STEP
    for off in (-61, 61):
        assert totp.step_of(RFC, code, now + off) is None


def test_it_is_asked_for_with_the_password_and_no_code_opens_twice(
    http: TestClient, world: World, ada: User
) -> None:
    assert log_in(http).status_code == 200
    began = http.post("/api/auth/second-factor", json={"password": PASSWORD}).json()
    asked = urlsplit(began["uri"])
    assert (asked.scheme, asked.netloc, asked.path) == ("otpauth", "totp", f"/Karat:{EMAIL}")
    assert parse_qs(asked.query) == {"secret": [began["secret"]], "issuer": ["Karat"]}
    assert len(began["qr"]) == len(began["qr"][0]) > 20
    # What was begun holds nothing up before it is confirmed.
    assert log_in(http).status_code == 200
    phone, _ = set_up(http, world)
    assert http.get("/api/auth/me").json()["second_factor"] is True
    stored = world.session.scalars(select(SecondFactor)).one()
    assert stored.user_id == ada.id
    assert base64.b32decode(phone.secret) not in stored.secret_sealed
    assert phone.secret.encode() not in stored.secret_sealed

    http.cookies.clear()
    assert log_in(http).json()["code"] == "code_required"
    # The code that confirmed it was used.
    assert log_in(http, code=phone.code()).json()["code"] == "wrong_code"
    code = phone.later()
    assert log_in(http, code=f"{code[:3]} {code[3:]}").status_code == 200
    assert log_in(http, code=code).json()["code"] == "wrong_code"
    # Who had to be asked for it has failed at no password, however often.
    counted = world.session.execute(select(LoginAttempt.key, LoginAttempt.failures)).all()
    assert {key.partition(":")[0] for key, failures in counted if failures} == {"code"}
    # Nor one of before; and no code makes up for a wrong password.
    assert log_in(http, code=phone.code(-1)).json()["code"] == "wrong_code"
    wrong = log_in(http, code=phone.later(), password="wrong password")
    assert wrong.json()["code"] == "bad_credentials"


@pytest.mark.usefixtures("ada")
def test_other_sessions_end_as_it_is_added_and_a_wrong_code_adds_nothing(
    http: TestClient, world: World
) -> None:
    log_in(http)
    elsewhere = str(http.cookies["karat_session"])
    http.cookies.clear()
    log_in(http)
    wrong = http.post("/api/auth/second-factor", json={"password": "wrong password"})
    assert (wrong.status_code, wrong.json()["field"]) == (400, "password")
    path = "/api/auth/second-factor/confirm"
    assert http.post(path, json={"code": "123456"}).json()["code"] == "nothing_to_confirm"
    http.post("/api/auth/second-factor", json={"password": PASSWORD})
    for code in ("000000", "12345", "abcdef", "a" * 16):
        answer = http.post(path, json={"code": code})
        assert (answer.status_code, answer.json()["code"]) == (400, "wrong_code")
    set_up(http, world)
    again = http.post("/api/auth/second-factor", json={"password": PASSWORD})
    assert again.json()["code"] == "second_factor_exists"
    assert http.get("/api/auth/me").status_code == 200
    http.cookies.clear()
    http.cookies.set("karat_session", elsewhere)
    assert http.get("/api/auth/me").status_code == 401


@pytest.mark.usefixtures("ada")
def test_a_recovery_code_stands_in_once_and_new_ones_replace_all(
    http: TestClient, world: World
) -> None:
    log_in(http)
    phone, codes = set_up(http, world)
    assert len(set(codes)) == 10
    kept = set(world.session.scalars(select(RecoveryCode.code_hash)))
    assert not kept & set(codes)
    assert log_in(http, code=codes[0].upper().replace("-", " ")).status_code == 200
    assert log_in(http, code=codes[0]).json()["code"] == "wrong_code"
    shown = http.get("/api/auth/second-factor").json()
    assert shown == {"enabled": True, "required": False, "recovery_codes": 9}
    proof = {"password": PASSWORD, "code": phone.later()}
    fresh = http.post("/api/auth/second-factor/recovery-codes", json=proof).json()
    assert len(fresh["recovery_codes"]) == 10
    assert log_in(http, code=codes[1]).json()["code"] == "wrong_code"
    # Taking it away takes both, and a used code is none.
    wrong = http.post("/api/auth/second-factor/remove", json=proof)
    assert (wrong.status_code, wrong.json()["field"]) == (400, "code")
    proof["code"] = fresh["recovery_codes"][0]
    assert http.post("/api/auth/second-factor/remove", json=proof).status_code == 204
    assert log_in(http).status_code == 200
    assert world.session.scalars(select(RecoveryCode)).all() == []


def test_guessing_codes_has_to_wait_though_the_password_is_right(
    http: TestClient, world: World, installation: Settings, ada: User
) -> None:
    log_in(http)
    phone, _ = set_up(http, world)
    http.cookies.clear()
    few = installation.model_copy(update={"login_attempts": 3})
    http.app.state.settings = few  # type: ignore[attr-defined]
    for _ in range(3):
        assert log_in(http, code="000000").json()["code"] == "wrong_code"
    refused = log_in(http, code=phone.later())
    assert (refused.status_code, refused.json()["code"]) == (429, "too_many_attempts")
    assert world.session.get(LoginAttempt, f"code:{ada.id}") is not None
    admin = world.caller()
    assert http.post(f"/api/users/{ada.id}/unlock", headers=admin.headers).status_code == 200
    assert log_in(http, code=phone.code()).status_code == 200


def test_guessing_codes_slowly_ends_as_well(http: TestClient, world: World, ada: User) -> None:
    log_in(http)
    phone, codes = set_up(http, world)
    known = dict(http.cookies)
    http.cookies.clear()

    def after(wrong: int) -> None:
        """As if so many codes had been wrong since the last right one, long ago."""
        world.session.execute(update(SecondFactor).values(failures=wrong))
        world.session.execute(delete(LoginAttempt))
        world.session.commit()

    def right() -> Any:
        return log_in(http, code=phone.later())

    after(99)
    assert right().status_code == 200
    for wrong, code in ((0, "wrong_code"), (98, "wrong_code"), (100, "codes_used_up")):
        after(wrong)
        http.cookies.clear()
        assert log_in(http, code="000000").json()["code"] == code
    assert right().json()["code"] == "codes_used_up"
    # Their own browser goes on, and so does who has a recovery code; then codes count again.
    http.cookies.update(known)
    assert right().status_code == 200
    http.cookies.clear()
    assert log_in(http, code="000000").json()["code"] == "wrong_code"
    after(100)
    assert log_in(http, code=codes[0]).status_code == 200
    after(100)
    admin = world.caller()
    listed = http.get("/api/users/activity", headers=admin.headers).json()["items"]
    assert [one["locked"] for one in listed if one["id"] == ada.id] == [True]
    http.post(f"/api/users/{ada.id}/unlock", headers=admin.headers)
    http.cookies.clear()
    assert right().status_code == 200


def test_an_admin_may_require_it_and_nothing_else_is_answered_before(
    http: TestClient, world: World, ada: User
) -> None:
    admin = world.caller()
    asked = {"second_factor_required": True}
    changed = http.patch(f"/api/users/{ada.id}", json=asked, headers=admin.headers)
    assert changed.status_code == 200
    assert log_in(http).json()["must_add_second_factor"] is True
    refused = http.get("/api/projects")
    assert (refused.status_code, refused.json()["code"]) == (403, "second_factor_setup_required")
    assert http.post("/api/tokens", json={"name": "a"}).status_code == 403
    phone, _ = set_up(http, world)
    assert http.get("/api/projects").status_code == 200
    proof = {"password": PASSWORD, "code": phone.later()}
    kept = http.post("/api/auth/second-factor/remove", json=proof)
    assert (kept.status_code, kept.json()["code"]) == (409, "second_factor_required")
    # The phone is lost: an admin takes it away, and another has to be added.
    path = f"/api/users/{ada.id}/reset-second-factor"
    assert http.post(path, headers=admin.headers).status_code == 200
    assert http.get("/api/auth/me").status_code == 401
    assert http.post(path, headers=admin.headers).json()["code"] == "no_second_factor"
    assert log_in(http).json()["must_add_second_factor"] is True
    listed = http.get("/api/users/activity", headers=admin.headers).json()["items"]
    row = next(one for one in listed if one["id"] == ada.id)
    assert (row["second_factor"], row["second_factor_required"]) == (False, True)


@pytest.mark.parametrize(("wanted", "held"), [("admins", False), ("everybody", True)])
@pytest.mark.usefixtures("ada")
def test_an_installation_may_require_it_of_some_or_all(
    http: TestClient, world: World, wanted: str, held: bool
) -> None:
    identifier: Any = http.app.state.identifier  # type: ignore[attr-defined]
    identifier._asked["second_factor"] = wanted
    log_in(http)
    assert (http.get("/api/projects").status_code == 403) is held
    # Programs go on: their tokens are secrets that nobody types.
    assert http.get("/api/projects", headers=world.caller().headers).status_code == 200


def test_who_restores_without_the_secret_gets_in_by_a_recovery_code(
    http: TestClient, world: World, installation: Settings, ada: User
) -> None:
    log_in(http)
    phone, codes = set_up(http, world)
    (installation.data_dir / "sealing.key").write_text("another secret")
    refused = log_in(http, code=phone.later())
    assert (refused.status_code, refused.json()["code"]) == (503, "second_factor_unreadable")
    # Nothing comes back by itself here.
    assert "Retry-After" not in refused.headers
    assert log_in(http, code=codes[3]).status_code == 200
    # An admin who has lost both gets in from the server.
    ada.role = Role.ADMIN
    world.session.commit()
    assert http.post("/api/auth/login", json=reset(EMAIL, None)).status_code == 200
