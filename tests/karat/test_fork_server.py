"""Programs that are forked behave as programs that were started, and none outlives its server."""

import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from core.settings import settings
from karat.local.fork_server import ForkedProcess, ForkServer
from karat.local.processes import stop_all
from tests.karat.helpers import wait_gone
from tests.processes import ROOT, eventually, forked

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="forks on Linux only")

_TELL = """
import json, os, signal, sys
print(json.dumps({
    "arguments": sys.argv, "name": __name__, "directory": os.getcwd(),
    "environment": dict(os.environ), "session": os.getsid(0) == os.getpid(),
    "files": sorted(os.listdir("/proc/self/fd")), "umask": os.umask(0),
    "signals": {one.name: signal.getsignal(one) == signal.SIG_DFL
                for one in (signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD)},
    "interrupt": signal.getsignal(signal.SIGINT) is signal.default_int_handler,
    "imported": "colorsys" in sys.modules, "path": sys.path,
}))
sys.stderr.write("and this is an error")
"""
_END = """
import os, signal, sys
number = int(sys.argv[1])
if number < 0:
    os.kill(os.getpid(), -number)
    signal.pause()
sys.exit(number)
"""
_LAST = """
import atexit, sys, threading, time
atexit.register(lambda: print("in the end"))
threading.Thread(target=lambda: (time.sleep(0.1), print("a thread,"))).start()
print("first,", end=" ")
exec(sys.argv[1])
"""
_SLEEP = "import time; print('asleep', flush=True); time.sleep(600)"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Programs to run, and a directory to run them in."""
    for name, text in (
        *(("tell", _TELL), ("ends", _END)),
        *(("lasts", _LAST), ("sleeps", _SLEEP)),
    ):
        (tmp_path / f"given_{name}.py").write_text(text)
    (tmp_path / "in").mkdir()
    return tmp_path


@pytest.fixture
def server(folder: Path) -> Iterator[ForkServer]:
    # The tests themselves may run under ``nohup``, or in the background of a shell.
    usual: dict[signal.Signals, Any] = {
        signal.SIGHUP: signal.SIG_DFL,
        signal.SIGINT: signal.default_int_handler,
    }
    was = {number: signal.signal(number, handler) for number, handler in usual.items()}
    made = _server(folder, "colorsys")
    for number, handler in was.items():
        signal.signal(number, handler)
    yield made
    made.close()


def _server(folder: Path, *libraries: str) -> ForkServer:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT), str(folder)))}
    environment.pop("PYTHONUNBUFFERED", None)
    server = ForkServer(log=folder / "log", directory=folder, environment=environment)
    server.import_libraries(libraries)
    return server


def _fork(server: ForkServer, folder: Path, module: str, *arguments: str) -> ForkedProcess:
    with (folder / "out").open("ab") as out, (folder / "err").open("ab") as err:
        return server.fork(
            module,
            arguments,
            output=out.fileno(),
            errors=err.fileno(),
            directory=folder / "in",
            environment={"ONLY": "this"},
        )


def _parent(process: ForkedProcess) -> psutil.Process:
    return psutil.Process(process.pid).parents()[0]


def _asleep(server: ForkServer, folder: Path) -> ForkedProcess:
    process = _fork(server, folder, "given_sleeps")
    eventually(lambda: "asleep" in (folder / "out").read_text(), "the program runs")
    title = " ".join(psutil.Process(process.pid).cmdline()).strip()
    assert title == f"{sys.executable} -m given_sleeps"
    return process


def test_a_program_finds_what_one_that_was_started_finds(server: ForkServer, folder: Path) -> None:
    process = _fork(server, folder, "given_tell", "--of", "ünïcode", "two\nlines", "caf\udce9")
    assert process.wait(60) == 0
    assert process.poll() == process.returncode == 0
    told = json.loads((folder / "out").read_text())
    assert told.pop("arguments")[1:] == ["--of", "ünïcode", "two\nlines", "caf\udce9"]
    assert str(folder / "in") not in told["path"]
    assert "" not in told.pop("path")
    # The fourth lists the directory.
    assert told.pop("files") == ["0", "1", "2", "3"]
    assert told == {
        "name": "__main__",
        "directory": str(folder / "in"),
        "environment": {"ONLY": "this"},
        "session": True,
        "umask": 0o077,
        "signals": {"SIGTERM": True, "SIGHUP": True, "SIGCHLD": True},
        "interrupt": True,
        "imported": True,
    }
    assert (folder / "err").read_text() == "and this is an error"


def test_who_wants_no_hangup_has_none(folder: Path) -> None:
    was = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    server = _server(folder)
    try:
        assert _fork(server, folder, "given_tell").wait(60) == 0
    finally:
        signal.signal(signal.SIGHUP, was)
        server.close()
    signals = json.loads((folder / "out").read_text())["signals"]
    assert signals == {"SIGTERM": True, "SIGHUP": False, "SIGCHLD": True}


def test_each_of_many_has_its_own_end(server: ForkServer, folder: Path) -> None:
    chance = random.Random(3)
    wanted = [chance.choice((0, 1, 3, 255, -9, -15, -6)) for _ in range(40)]
    processes = [_fork(server, folder, "given_ends", str(one)) for one in wanted]
    assert len({one.pid for one in processes}) == len(processes)
    chance.shuffle(order := list(range(len(processes))))
    found = {at: processes[at].wait(60) for at in order}
    assert [found[at] for at in range(len(processes))] == wanted


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        ("", 0, ""),
        ("sys.exit()", 0, ""),
        ("sys.exit(-1)", 255, ""),
        ("sys.exit('That is wrong.')", 1, "That is wrong."),
        ("1 / 0", 1, "ZeroDivisionError: division by zero"),
        ("raise KeyboardInterrupt", -2, "KeyboardInterrupt"),
    ],
)
def test_what_is_left_to_the_end_is_done(
    server: ForkServer, folder: Path, words: str, status: int, said: str
) -> None:
    assert _fork(server, folder, "given_lasts", words).wait(60) == status
    assert (folder / "out").read_text() == "first, a thread,\nin the end\n"
    assert (folder / "err").read_text().rstrip().rpartition("\n")[2] == said


def test_libraries_that_are_told_of_later_are_found_by_what_comes_then(folder: Path) -> None:
    (folder / "given_late.py").write_text("import sys; sys.exit('colorsys' in sys.modules)")
    bare = _server(folder)
    assert _fork(bare, folder, "given_late").wait(60) == 0
    bare.import_libraries(["colorsys", "json"])
    bare.import_libraries(["json"])
    assert _fork(bare, folder, "given_late").wait(60) == 1
    # Whatever it was told of, the next server has as well.
    process = _asleep(bare, folder)
    parent = _parent(process)
    parent.kill()
    process.wait(10)
    wait_gone([parent])
    assert _fork(bare, folder, "given_late").wait(60) == 1
    bare.close()


def test_a_signal_that_comes_at_once_is_not_lost(server: ForkServer, folder: Path) -> None:
    for _ in range(30):
        process = _fork(server, folder, "given_sleeps")
        process.send_signal(signal.SIGTERM)
        assert process.wait(10) == -signal.SIGTERM


def test_what_is_printed_is_there_at_once(server: ForkServer, folder: Path) -> None:
    (folder / "given_says.py").write_text("import time; print('said'); time.sleep(600)")
    process = _fork(server, folder, "given_says")
    eventually(lambda: "said" in (folder / "out").read_text(), "it is in the log", 20)
    process.kill()
    process.wait(10)


def test_waiting_ends_in_time_and_signals_arrive(server: ForkServer, folder: Path) -> None:
    process = _asleep(server, folder)
    assert process.poll() is None
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.05)
    stop_all([process], [(signal.SIGTERM, 30.0)])
    assert process.returncode == -signal.SIGTERM
    process.send_signal(signal.SIGTERM)
    process.kill()


def test_what_stops_everything_leaves_it_to_the_end(server: ForkServer, folder: Path) -> None:
    process = _asleep(server, folder)
    parent = _parent(process)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        parent.send_signal(number)
    assert _fork(server, folder, "given_ends", "4").wait(60) == 4
    assert process.poll() is None
    server.close()
    assert process.wait(10) == -signal.SIGKILL
    wait_gone([parent])


def test_programs_end_with_a_killed_server_and_the_next_has_another(
    server: ForkServer, folder: Path
) -> None:
    process = _asleep(server, folder)
    forked = psutil.Process(process.pid)
    parent = _parent(process)
    parent.kill()
    assert process.wait(10) == -signal.SIGKILL
    wait_gone([forked, parent])
    assert _fork(server, folder, "given_ends", "5").wait(60) == 5


def test_everything_ends_with_a_killed_owner(folder: Path) -> None:
    owner = f"""
import os, pathlib, time
from karat.local.fork_server import ForkServer
folder = pathlib.Path({str(folder)!r})
server = ForkServer(log=folder / "log", directory=folder, environment=os.environ)
out = os.open(folder / "out", os.O_WRONLY | os.O_CREAT)
process = server.fork("given_sleeps", [], output=out, directory=folder, environment={{}})
print(process.pid, flush=True)
time.sleep(600)
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT), str(folder)))}
    with subprocess.Popen(
        [sys.executable, "-c", owner], env=environment, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        forked = psutil.Process(int(process.stdout.readline()))
        family = [forked, *forked.parents()[:1]]
        process.kill()
    wait_gone(family)


def test_a_library_that_is_missing_is_named_and_the_rest_goes_on(folder: Path) -> None:
    server = _server(folder)
    asleep = _asleep(server, folder)
    server.import_libraries(["no_such_library", "colorsys"])
    assert _fork(server, folder, "given_ends", "3").wait(60) == 3
    assert "No module named 'no_such_library'" in (folder / "log").read_text()
    assert asleep.poll() is None
    server.close()
    assert asleep.wait(10) == -signal.SIGKILL


def test_stopping_does_not_wait_for_imports(folder: Path) -> None:
    (folder / "given_slow.py").write_text("import time; time.sleep(60)")
    server = _server(folder, "given_slow")
    process = _fork(server, folder, "given_ends", "0")
    process.send_signal(signal.SIGTERM)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.05)
    server.close()
    assert process.wait(10) == -signal.SIGKILL


def test_who_no_longer_listens_disturbs_nobody(folder: Path) -> None:
    server = _server(folder)
    asleep = _asleep(server, folder)
    (folder / "given_slow.py").write_text("import time; time.sleep(0.5)")
    server.import_libraries(["given_slow"])
    forgotten = _fork(server, folder, "given_ends", "0")
    forgotten._told.close()
    assert _fork(server, folder, "given_ends", "6").wait(60) == 6
    assert asleep.poll() is None
    server.close()
    assert asleep.wait(10) == -signal.SIGKILL


def test_libraries_read_nothing_of_the_environment(tmp_path: Path) -> None:
    # Programs of other directories, with settings of their own, come from the same server.
    read = tmp_path / "read"
    assert forked(_read, read).wait(60) == 0
    assert read.read_text() == "0"


def _read(told: Path) -> None:
    told.write_text(str(settings.cache_info().currsize))
