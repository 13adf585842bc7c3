"""``karat check`` as a user runs it: no server, no project, nothing left behind."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pyarrow.parquet as pq
import pytest

from karat.commands.check import ending
from tests.check_cases import COLOURS, coloured, labeled, put
from tests.karat.helpers import wait_for


def karat_check(
    *words: str | Path, work: Path, status: int = 0
) -> subprocess.CompletedProcess[str]:
    """Run it where nothing runs."""
    found = subprocess.run(
        [sys.executable, "-m", "karat", "check", *map(str, words)],
        cwd=work,
        env={**os.environ, "TMPDIR": str(work)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == status, found.stderr
    return found


def said(log: str) -> str:
    """What a log holds beside the phases of the check."""
    return re.sub(r"^[1-6]/6 .*\n", "", log, flags=re.MULTILINE)


def test_a_folder_is_checked_in_one_command(tmp_path: Path) -> None:
    put(tmp_path / "my colours", labeled(10, 1))
    found = karat_check("my colours", work=tmp_path)
    told = found.stdout.splitlines()
    assert told[0].startswith("About 3 of 30 labels are wrong (10 %)")
    assert told[1].startswith("3 are listed as probably wrong. Expect about 3 of them to be wrong")
    for kind in ("html", "csv", "parquet"):
        assert f"  {tmp_path.resolve()}/my_colours-check.{kind}" in told
    rows = pq.read_table(tmp_path / "my_colours-check.parquet").to_pylist()
    assert all("wrong-" in row["file"] for row in rows[:3])
    # A log shows what it is at.
    phases = [line for line in found.stderr.splitlines() if "%" not in line]
    assert [line.split(" ")[0] for line in phases] == [f"{n}/6" for n in range(1, 7)]
    assert phases[0] == "1/6 reading names"
    # Pixels and features are gone.
    assert not any(tmp_path.glob("karat-check-*"))


def test_what_cannot_be_judged_is_said_and_ends_with_status_1(tmp_path: Path) -> None:
    table = tmp_path / "labels.csv"
    table.write_text("file,what\na.png,b\n")
    found = karat_check(table, "--out", "reports", work=tmp_path, status=1)
    # As the option is called here, not the parameter of the API.
    assert said(found.stderr).startswith("Error: No column of the file is called label")
    assert "--label-column" in found.stderr
    assert list((tmp_path / "reports").iterdir()) == []


def test_the_command_line_is_checked_before_anything_is_read(tmp_path: Path) -> None:
    assert "does not exist" in karat_check("nowhere", work=tmp_path, status=2).stderr
    put(tmp_path / "colours", labeled(2, 0))
    assert "--share" in karat_check("colours", "--share", "2", work=tmp_path, status=2).stderr


@pytest.mark.parametrize(
    ("status", "says"),
    [
        (-signal.SIGKILL, "SIGKILL, as the system does where memory runs out: end what else"),
        (-signal.SIGBUS, "SIGBUS, most likely as the disk is full: make room"),
        (-signal.SIGSEGV, "SIGSEGV, as it crashed: check again"),
        (128 + signal.SIGTERM, "SIGTERM, from outside: check again"),
        (1, "status 1; what it wrote above says at what"),
    ],
)
def test_an_end_without_a_word_is_told_with_its_cause(status: int, says: str) -> None:
    assert says in ending(status)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_killed_it_says_so_and_leaves_nothing(tmp_path: Path, number: signal.Signals) -> None:
    work = tmp_path / "work"
    work.mkdir()
    files = {
        f"{colour}/{n}.png": coloured(colour, 10_000 * place + n)
        for place, colour in enumerate(COLOURS)
        for n in range(400)
    }
    put(tmp_path / "many", files)
    process = subprocess.Popen(
        [sys.executable, "-m", "karat", "check", str(tmp_path / "many"), "--json"],
        cwd=work,
        env={**os.environ, "TMPDIR": str(work)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_for(lambda: any(work.glob("karat-check-*/*/pixels")), "pixels are written", 60)
    children = psutil.Process(process.pid).children(recursive=True)
    assert children
    # Ctrl-C reaches the command; what is short of memory is the process that it has started.
    (process if number == signal.SIGINT else children[0]).send_signal(number)
    out, err = process.communicate(timeout=60)
    assert out == ""
    if number == signal.SIGINT:
        assert (process.returncode, said(err)) == (130, "Stopped; nothing was written.\n")
    else:
        assert process.returncode == 1
        assert said(err).startswith("Error: The check was killed by SIGKILL, as the system does")
    assert not any([*work.glob("karat-check-*"), *work.glob("many-check*")])
    assert not any(child.is_running() for child in children)
