"""How much memory a group of processes takes, looked at while it works."""

import threading
from collections import defaultdict
from collections.abc import Mapping
from types import TracebackType
from typing import Final, Self

import psutil

_MIB: Final = 2**20


class PeakMemory:
    """Peak of the proportional set size: pages that processes share are counted once in all.

    Pages of mapped files are part of it while they are in memory, though the system could drop
    them at any time; ``anonymous`` leaves them out.

    Attributes:
        total: Largest sum over all processes at one time, MiB.
        anonymous: Largest sum of what is no file's, MiB.
        each: Largest of each process with its children, MiB.
    """

    def __init__(self, processes: Mapping[str, int], seconds: float = 1.0) -> None:
        """Name the processes by their ids, and say how often they are looked at."""
        self._processes = dict(processes)
        self._seconds = seconds
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self.total = self.anonymous = 0.0
        self.each: dict[str, float] = defaultdict(float)

    def __enter__(self) -> Self:
        """Begin to look."""
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Look a last time."""
        self._stop.set()
        self._thread.join()

    def _watch(self) -> None:
        while True:
            self._look()
            if self._stop.wait(self._seconds):
                return

    def _look(self) -> None:
        now, anonymous = 0.0, 0.0
        for name, pid in self._processes.items():
            taken = [_size(one) for one in _family(pid)]
            size = sum(pss for pss, _ in taken)
            self.each[name] = max(self.each[name], size)
            now += size
            anonymous += sum(private for _, private in taken)
        self.total = max(self.total, now)
        self.anonymous = max(self.anonymous, anonymous)


def _family(pid: int) -> list[psutil.Process]:
    try:
        process = psutil.Process(pid)
        return [process, *process.children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


def _size(process: psutil.Process) -> tuple[float, float]:
    """Return the proportional size and what is no file's, MiB; zeros for a process that ended."""
    found = {"Pss": 0, "Pss_File": 0}
    try:
        with open(f"/proc/{process.pid}/smaps_rollup") as file:
            for line in file:
                name, _, rest = line.partition(":")
                if name in found:
                    found[name] = int(rest.split()[0])
    except OSError:
        return 0.0, 0.0
    return found["Pss"] * 1024 / _MIB, (found["Pss"] - found["Pss_File"]) * 1024 / _MIB
