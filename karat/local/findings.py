"""What ``karat doctor`` finds, and the programs that it asks."""

import re
import subprocess
from dataclasses import dataclass
from typing import Final

_PATIENCE: Final = 60.0
# "sqlalchemy.exc.OperationalError: (psycopg.OperationalError) connection failed: …"
_ERROR: Final = re.compile(r"(?:[\w.]+(?:Error|Exception)|Error): (?:\([\w.]+\) )?(?P<message>.+)")


@dataclass(frozen=True)
class Finding:
    """The result of one check.

    Attributes:
        subject: What was checked.
        ok: Whether it is as it should be.
        detail: What was found.
        remedy: What to do about a problem; empty if there is none.
    """

    subject: str
    ok: bool
    detail: str
    remedy: str = ""


def asked(
    command: list[str], environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a program to its end, or for a minute."""
    try:
        return subprocess.run(
            command,
            env=environment,
            capture_output=True,
            text=True,
            timeout=_PATIENCE,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 1, "", f"No answer in {_PATIENCE:g} s.")


def reason(done: subprocess.CompletedProcess[str]) -> str:
    """The error of a program: what a traceback ends with, without the advice that may follow."""
    lines = [line.strip() for line in (done.stderr.strip() or done.stdout.strip()).splitlines()]
    if not lines:
        return f"It ended with status {done.returncode}."
    errors = [found for line in lines if (found := _ERROR.match(line))]
    return errors[-1]["message"] if errors else lines[-1]
