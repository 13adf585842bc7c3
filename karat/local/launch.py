"""Run a command that ends with its parent, as an unprivileged user if asked.

Started as ``python -I -S launch.py --parent PID [options] -- command...``: a separate program
rather than a ``preexec_fn``, which is unsafe once the parent has threads. It replaces itself with
the command.
"""

import argparse
import ctypes
import os
import sys
from collections.abc import Sequence

_PR_SET_PDEATHSIG = 1
_PR_SET_KEEPCAPS = 8
_PR_CAP_AMBIENT = 47
_PR_CAP_AMBIENT_RAISE = 2
_CAP_DAC_OVERRIDE = 1
_CAP_DAC_READ_SEARCH = 2
_CAPABILITY_VERSION_3 = 0x20080522


class _CapabilityHeader(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _CapabilitySets(ctypes.Structure):
    _fields_ = (
        ("effective", ctypes.c_uint32),
        ("permitted", ctypes.c_uint32),
        ("inheritable", ctypes.c_uint32),
    )


def _keep_capability(libc: ctypes.CDLL, wanted: Sequence[int]) -> None:
    """Keep the first of ``wanted`` that the process holds, and no other, through ``exec``.

    A process that holds none goes on without, and the command reports what it cannot reach.
    """
    header = _CapabilityHeader(_CAPABILITY_VERSION_3, 0)
    sets = (_CapabilitySets * 2)()
    if libc.capget(ctypes.byref(header), sets) != 0:
        return
    held = next((one for one in wanted if sets[0].permitted & (1 << one)), None)
    if held is None:
        return
    sets[0] = _CapabilitySets(1 << held, 1 << held, 1 << held)
    sets[1] = _CapabilitySets(0, 0, 0)
    if libc.capset(ctypes.byref(header), sets) == 0:
        libc.prctl(_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_RAISE, held, 0, 0)


def end_with_parent(parent: int, number: int) -> None:
    """Have the system send us a signal when our parent ends; on Linux only.

    Args:
        parent: Its process id: if it is gone already, we end here.
        number: The signal.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, number, 0, 0, 0)
        if os.getppid() != parent:
            sys.exit("launch: the parent is gone")


def main(arguments: Sequence[str]) -> None:
    """Drop privileges, tie the process to its parent and become the command.

    Args:
        arguments: The command line without the program's name.
    """
    parser = argparse.ArgumentParser(prog="launch")
    parser.add_argument("--parent", type=int, required=True)
    parser.add_argument("--death-signal", type=int, required=True)
    parser.add_argument("--user", type=int)
    parser.add_argument("--group", type=int)
    parser.add_argument("--reach", choices=("search", "execute"))
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args(arguments)
    command = options.command[1:] if options.command[:1] == ["--"] else options.command

    linux = sys.platform == "linux"
    libc = ctypes.CDLL(None) if linux else None
    if options.user is not None:
        if libc is not None and options.reach:
            libc.prctl(_PR_SET_KEEPCAPS, 1, 0, 0, 0)
        os.setgroups([])
        os.setgid(options.group)
        os.setuid(options.user)
        if libc is not None and options.reach == "search":
            _keep_capability(libc, (_CAP_DAC_READ_SEARCH, _CAP_DAC_OVERRIDE))
        elif libc is not None and options.reach == "execute":
            _keep_capability(libc, (_CAP_DAC_OVERRIDE,))
    # After setuid, which clears it.
    end_with_parent(options.parent, options.death_signal)
    os.execv(command[0], command)


if __name__ == "__main__":
    main(sys.argv[1:])
