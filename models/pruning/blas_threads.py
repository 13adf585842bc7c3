"""Threads for many small pieces of linear algebra."""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import AbstractContextManager
from functools import partial
from typing import TypeVar

from threadpoolctl import ThreadpoolController

T = TypeVar("T")
R = TypeVar("R")


class Crew:
    """Threads that each do linear algebra on their own.

    On matrices as small as a tile, the threads of a library of linear algebra mostly wait for each
    other; so there is one library thread per thread of ours instead.
    """

    def __init__(self) -> None:
        """Be as many as the library of linear algebra has threads."""
        self._libraries = ThreadpoolController()
        threads = [
            one["num_threads"] for one in self._libraries.info() if one["user_api"] == "blas"
        ]
        self._size = max(threads, default=1)
        # How many threads OpenMP starts is a matter of each thread that asks for them.
        alone = partial(self._libraries.limit, limits=1, user_api="openmp")
        self._threads = ThreadPoolExecutor(self._size, initializer=alone)

    def alone(self) -> AbstractContextManager[object]:
        """Return a context in which linear algebra uses the calling thread only."""
        context: AbstractContextManager[object] = self._libraries.limit(limits=1, user_api="blas")
        return context

    def each(self, work: Callable[[T], R], items: Iterable[T]) -> list[R]:
        """Call `work` with each item; the results are in the order of the items."""
        with self.alone():
            if self._size == 1:
                return [work(item) for item in items]
            futures = [self._threads.submit(work, item) for item in items]
            try:
                return [future.result() for future in futures]
            finally:
                # After an error nothing goes on behind the caller's back.
                for future in futures:
                    future.cancel()
                wait(futures)
