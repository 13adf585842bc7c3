"""A reader at a terminal: types block after block into one shell and one Python."""

import os
import select
import signal
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.docs.blocks import Block, differences, last_json

# Hardly a limit: a machine may be busy.
_SECONDS = 240.0
# What a block leaves (variables, functions, the directory) is there for the next one.
_SHELL = """
set -eu -o pipefail
exec 9< .typed
while read -r block; do
  source "$block" <&9 > "$block.out" 2> "$block.err"
  echo ended
done
"""
_PYTHON = """
import os, sys
answers = os.dup(1)
os.dup2(2, 1)
names = {"__name__": "__main__"}
for line in sys.stdin:
    path = line.strip()
    exec(compile(open(path).read(), path, "exec"), names)
    os.write(answers, b"ended\\n")
"""
_COMMANDS = {"sh": ["bash", "-c", _SHELL], "python": [sys.executable, "-c", _PYTHON]}


class _Typed:
    """A program that takes names of files with code, and says when each has ended."""

    def __init__(self, language: str, home: Path, environment: Mapping[str, str]) -> None:
        self.log = home / f".{language}.log"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                _COMMANDS[language],
                cwd=home,
                env=dict(environment),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                start_new_session=True,
            )

    def run(self, path: Path) -> bool:
        """Whether the code of a file ended, and well."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{path}\n".encode())
        self.process.stdin.flush()
        ready, _, _ = select.select([self.process.stdout], [], [], _SECONDS)
        return bool(ready) and self.process.stdout.readline() == b"ended\n"

    def close(self) -> None:
        # With all that a block has left in the background.
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.communicate()


class Session:
    """One page's reader, with a home of their own."""

    def __init__(self, home: Path, environment: Mapping[str, str], typed: str) -> None:
        """Sit down.

        Args:
            home: Where commands run.
            environment: Of the commands.
            typed: What is typed where a command asks, line by line.
        """
        self._home = home
        self._environment = environment
        self._programs: dict[str, _Typed] = {}
        (home / ".typed").write_text(typed)

    def run(self, block: Block, code: str) -> str:
        """Run a block as ``code``; what went wrong, or nothing."""
        program = self._programs.get(block.language)
        if program is None:
            program = _Typed(block.language, self._home, self._environment)
            self._programs[block.language] = program
        path = self._home / f".block-{block.line}"
        path.write_text(code)
        if not program.run(path):
            said = [program.log, *(path.with_name(f"{path.name}.{end}") for end in ("out", "err"))]
            text = "\n".join(one.read_text()[-3000:] for one in said if one.exists())
            return f"{block} failed:\n{code}\n{text}"
        if block.expected is None:
            return ""
        answer = last_json(path.with_name(f"{path.name}.out").read_text())
        found = [*differences(block.expected, answer)]
        return f"{block} answers otherwise:\n" + "\n".join(found) if found else ""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for program in self._programs.values():
            program.close()
