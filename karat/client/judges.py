"""The client's part for judges: models behind an address that rank instructions."""

from typing import Any

from karat.client.judge_types import Judge, Trial
from karat.client.notebook import Told
from karat.client.transport import KaratError, Transport
from karat.client.waiting import waited


class JudgesClient(Told):
    """Judges; ``Client.judges``."""

    _path = "/judges"

    def __init__(self, transport: Transport) -> None:
        """Work over ``transport``."""
        self._transport = transport

    def list(self) -> list[Judge]:
        """All of them, by name; for admins, engineers and managers of projects."""
        found: list[Judge] = self._transport.request("GET", self._path)["items"]
        return found

    def get(self, judge_id: int) -> Judge:
        """One of them.

        Args:
            judge_id: Its number.
        """
        found: Judge = self._transport.request("GET", f"{self._path}/{judge_id}")
        return found

    def named(self, name: str) -> Judge:
        """The one of a name.

        Args:
            name: The name.

        Raises:
            KaratError: ``judge_not_found``.
        """
        known = self.list()
        for one in known:
            if one["name"] == name:
                return one
        names = ", ".join(one["name"] for one in known) or "none"
        raise KaratError("judge_not_found", f"There is no judge {name!r}; there are {names}.")

    def add(
        self, name: str, base_url: str, model: str, *, key: str | None = None, **values: Any
    ) -> Judge:
        """Add a judge; for admins.

        Args:
            name: What jobs choose it by.
            base_url: Of a server that speaks OpenAI's API, mostly ending in ``/v1``.
            model: Its name there.
            key: What the server wants; kept encrypted, and never shown again.
            **values: Any of ``embedding_model``, ``price_in``, ``price_out`` (per million tokens),
                ``concurrency``, ``timeout`` (seconds), ``requests_per_minute``, ``max_tokens``.

        Raises:
            KaratError: ``address_not_allowed``, ``name_taken``, ``malformed``.
        """
        body = {"name": name, "base_url": base_url, "model": model, **values}
        if key is not None:
            body["key"] = key
        made: Judge = self._transport.request("POST", self._path, body=body)
        return made

    def update(self, judge_id: int, **changes: Any) -> Judge:
        """Change a judge; for admins.

        Args:
            judge_id: Its number.
            **changes: What is to be changed, as in ``add``; a ``key`` of None removes it.

        Raises:
            KaratError: ``key_required`` where ``base_url`` is another server's and ``key`` is not
                given, and others as for ``add``.
        """
        made: Judge = self._transport.request("PATCH", f"{self._path}/{judge_id}", body=changes)
        return made

    def remove(self, judge_id: int) -> None:
        """Delete a judge that no job asks, with all answers of it that are kept; for admins.

        Args:
            judge_id: Its number.

        Raises:
            KaratError: ``judge_in_use``.
        """
        self._transport.request("DELETE", f"{self._path}/{judge_id}")

    def attempt(self, judge_id: int, *, timeout: float = 180.0) -> Trial:
        """Have a worker ask a judge to rank two made-up rows; for admins.

        Args:
            judge_id: Its number.
            timeout: Seconds to wait at most.

        Returns:
            What it answered.

        Raises:
            KaratError: Nobody had asked it by then (``timeout``), or it was changed meanwhile
                (``judge_changed``).
        """
        self._transport.request("POST", f"{self._path}/{judge_id}/try")
        trial = waited(
            lambda: self.get(judge_id)["trial"],
            lambda trial: trial is None or trial["tried_at"] is not None,
            lambda _: "Nobody has asked it yet: no worker takes from the queue web.",
            timeout=timeout,
            interval=0.2,
        )
        if trial is None:
            raise KaratError("judge_changed", "The judge was changed meanwhile; try it again.")
        return trial
