"""What dies is started again, but not for ever."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from karat.local.processes import spawn
from karat.local.supervisor import Supervisor
from tests.processes import eventually


def sleeper(directory: Path, script: str) -> Callable[[], subprocess.Popen[bytes]]:
    def start() -> subprocess.Popen[bytes]:
        command = [sys.executable, "-I", "-S", "-c", script]
        return spawn(command, log=directory / "log", directory=directory)

    return start


def test_a_killed_process_is_started_again_and_said_so(tmp_path: Path) -> None:
    said: list[str] = []
    supervisor = Supervisor(said.append, first_pause=0.01)
    supervisor.start("sleeper", sleeper(tmp_path, "import time; time.sleep(60)"))
    supervisor.watch()
    first = supervisor.processes["sleeper"]
    first.kill()
    eventually(lambda: supervisor.processes["sleeper"] is not first, "it is started again")
    second = supervisor.processes["sleeper"]
    assert second.poll() is None
    assert said == ["sleeper was ended by SIGKILL; starting it again in 0.01 s."]
    supervisor.unwatch()
    supervisor.stop(["sleeper", "never started"], seconds=5.0)
    supervisor.close()
    assert second.poll() is not None


def test_a_process_that_always_dies_is_given_up(tmp_path: Path) -> None:
    said: list[str] = []
    supervisor = Supervisor(said.append, first_pause=0.001)
    supervisor.start("broken", sleeper(tmp_path, "raise SystemExit(3)"))
    supervisor.watch()
    assert supervisor.failed.wait(30)
    assert "broken ended with status 3" in str(supervisor.failure)
    assert 3 <= len(said) <= 20
    supervisor.close()


@pytest.mark.parametrize(
    "error", [BlockingIOError(11, "no room for another process"), ValueError()]
)
def test_what_cannot_be_started_just_now_is_tried_again(tmp_path: Path, error: Exception) -> None:
    said: list[str] = []
    tries = 0

    def start() -> subprocess.Popen[bytes]:
        nonlocal tries
        tries += 1
        if tries in {2, 3}:
            raise error
        return sleeper(tmp_path, "import time; time.sleep(60)")()

    def tell(sentence: str) -> None:
        said.append(sentence)
        # As a terminal that is gone.
        raise OSError(5, "Input/output error")

    supervisor = Supervisor(tell, first_pause=0.01)
    supervisor.start("sleeper", start)
    supervisor.watch()
    first = supervisor.processes["sleeper"]
    first.kill()
    eventually(lambda: supervisor.processes["sleeper"] is not first, "it is started again")
    why = str(error) or "ValueError"
    assert [one for one in said if "did not" in one] == [f"sleeper did not come up: {why}."] * 2
    assert supervisor.failure is None
    supervisor.stop(["sleeper"], seconds=5.0)
    supervisor.close()


def test_a_watch_that_fails_is_no_secret(tmp_path: Path) -> None:
    def broken() -> bool:
        raise LookupError("nobody can say")

    supervisor = Supervisor(lambda _: None, no_room=broken)
    supervisor.start("sleeper", sleeper(tmp_path, "raise SystemExit(1)"))
    supervisor.watch()
    assert supervisor.failed.wait(30)
    assert str(supervisor.failure) == "Processes are watched no more: nobody can say."
    supervisor.close()


def test_on_a_full_disk_it_is_tried_for_as_long_as_it_takes(tmp_path: Path) -> None:
    said: list[str] = []
    full = True
    supervisor = Supervisor(said.append, 0.001, longest_pause=0.01, no_room=lambda: full)
    supervisor.start("postgres", sleeper(tmp_path, "raise SystemExit(1)"))
    supervisor.watch()
    eventually(lambda: len(said) >= 12, "it is tried again and again")
    assert said[-1].endswith("The disk is full: make room, and it goes on.")
    assert supervisor.failure is None
    # With room, what still dies is no fault of the disk.
    full = False
    assert supervisor.failed.wait(30)
    supervisor.close()


def test_the_log_of_what_runs_for_years_is_set_aside_as_it_grows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("karat.local.supervisor._LOG_SECONDS", 0.0)
    monkeypatch.setattr("karat.local.logs._LARGEST", 100)
    supervisor = Supervisor(lambda _: None, logs=tmp_path)
    log, small = tmp_path / "api.log", tmp_path / "redis.log"
    small.write_text("small")
    with log.open("ab", buffering=0) as process:
        process.write(b"x" * 200)
        supervisor.watch()
        eventually(lambda: log.stat().st_size == 0, "the log is emptied")
        process.write(b"goes on")
    supervisor.close()
    assert log.read_text() == "goes on"
    assert sorted(one.name for one in tmp_path.iterdir()) == ["api.log", "api.log.1", "redis.log"]
    assert (tmp_path / "api.log.1").read_text() == "x" * 200
