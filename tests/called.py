"""``python -m tests.called CALL``: a function of a module, called in a process of its own."""

import base64
import pickle
import sys
from collections.abc import Callable
from pkgutil import resolve_name


def written(run: Callable[..., None], arguments: tuple[object, ...]) -> str:
    """A call as an argument of a command line.

    By the function's name: what its module reads of the environment is to be that of the process.
    """
    call = f"{run.__module__}:{run.__qualname__}", arguments
    return base64.b64encode(pickle.dumps(call)).decode()


if __name__ == "__main__":
    name, given = pickle.loads(base64.b64decode(sys.argv[1]))
    resolve_name(name)(*given)
