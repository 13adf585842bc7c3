"""How many threads linear algebra takes."""

from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Final

from threadpoolctl import ThreadpoolController

_WORTH_THREADS: Final = 50_000_000


@cache
def libraries() -> ThreadpoolController:
    """The libraries of linear algebra that are loaded when it is first asked."""
    return ThreadpoolController()


def threads_for(multiplications: int) -> AbstractContextManager[object]:
    """Return a context in which linear algebra has the threads that a search can make use of.

    A search changes between libraries that each have threads of their own, and those of one wait
    for work on the cores that the others want: of two cores, a head of a few hundred rows takes
    ten times as long as in a single thread. What is large gains more than it loses.

    Args:
        multiplications: of the largest product of matrices in each step of the search.
    """
    if multiplications >= _WORTH_THREADS:
        return nullcontext()
    context: AbstractContextManager[object] = libraries().limit(limits=1)
    return context
