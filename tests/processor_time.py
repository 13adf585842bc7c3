"""Processor seconds of test files: ``make test ARGS="-p tests.processor_time"``.

Of all that a file's tests start as well, servers and browsers too. How long a test takes by the
clock says little where several processes of tests share the cores.
"""

import subprocess
from collections.abc import Generator, Iterator, Mapping
from pathlib import PurePath
from typing import Any, Final

import psutil
import pytest

from tests.processes import ROOT

_SPENT: Final = pytest.StashKey[dict[str, float]]()
_NAME: Final = "processor seconds"
# What comes before the first test: imports, and finding them all.
_BEFORE: Final = "(collection)"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let a revision be named beside which the files are told apart."""
    parser.addoption("--since", help="with -p tests.processor_time: a revision, as git names it")


def pytest_configure(config: pytest.Config) -> None:
    """Begin with nothing."""
    config.stash[_SPENT] = {}


def pytest_collection_finish(session: pytest.Session) -> None:
    """Keep what finding the tests took."""
    session.config.stash[_SPENT][_BEFORE] = spent()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(
    item: pytest.Item, nextitem: pytest.Item | None
) -> Generator[None, object, object]:
    """Look at the clocks once a file, after its fixtures are gone."""
    result = yield
    if nextitem is None or nextitem.path != item.path:
        by_file = item.config.stash[_SPENT]
        name = str(item.path.relative_to(ROOT))
        by_file[name] = by_file.get(name, 0.0) + spent() - sum(by_file.values())
    return result


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Hand what was counted to the process that reports."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput[_NAME] = session.config.stash[_SPENT]


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Add what one of several processes has counted."""
    total = node.config.stash[_SPENT]
    for name, seconds in node.workeroutput.get(_NAME, {}).items():
        total[name] = total.get(name, 0.0) + seconds


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Write by folder, and the twenty dearest files."""
    by_file = config.stash[_SPENT]
    terminalreporter.section(_NAME)
    for line in report(by_file, revision_files(config.getoption("--since"))):
        terminalreporter.write_line(line)


def spent() -> float:
    """Processor seconds of this process and of all that it has started, those that ended too."""
    total = 0.0
    this = psutil.Process()
    for process in (this, *this.children(recursive=True)):
        # One that ends meanwhile is found at its parent the next time.
        try:
            total += sum(process.cpu_times()[:4])
        except psutil.NoSuchProcess:
            continue
    return total


def revision_files(revision: str | None) -> frozenset[str] | None:
    """Names, without their folders, of the test files of a revision; None for no revision.

    Raises:
        subprocess.CalledProcessError: There is no such revision.
    """
    if revision is None:
        return None
    listed = subprocess.run(
        ["git", "ls-tree", "-r", "--name-only", revision, "tests"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return frozenset(PurePath(line).name for line in listed.splitlines())


def report(by_file: Mapping[str, float], before: frozenset[str] | None) -> Iterator[str]:
    """Lines of what was spent.

    Args:
        by_file: Processor seconds of each file.
        before: Names of files that are told from others, if any are.
    """
    folders: dict[str, float] = {}
    for name, seconds in by_file.items():
        folder = "/".join(PurePath(name).parts[:2])
        folders[folder] = folders.get(folder, 0.0) + seconds
    rows = [("all", sum(by_file.values()))]
    if before is not None:
        kept = sum(seconds for name, seconds in by_file.items() if PurePath(name).name in before)
        rows += [("files that were there", kept), ("other files", rows[0][1] - kept)]
    rows += _dearest(folders)
    rows += _dearest({name: by_file[name] for name in by_file if name not in folders})
    return (f"{seconds:9.1f}  {name}" for name, seconds in rows)


def _dearest(seconds: Mapping[str, float]) -> list[tuple[str, float]]:
    return sorted(seconds.items(), key=lambda row: -row[1])[:20]
