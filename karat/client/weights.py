"""The client's part for weights of networks that projects start from."""

from collections.abc import Callable
from pathlib import Path
from typing import Literal

from karat.client.notebook import Told
from karat.client.transport import KaratError, Transport
from karat.client.uploads import NothingToSend, upload
from karat.client.waiting import waited
from karat.client.weights_types import Weights

Library = Literal["timm", "torchvision", "open_clip"]


class WeightsClient(Told):
    """Uploaded weights; ``Client.weights``."""

    _path = "/weights"

    def __init__(self, transport: Transport) -> None:
        """Work over ``transport``."""
        self._transport = transport

    def list(self) -> list[Weights]:
        """All of them, by name; for admins, engineers and managers of projects."""
        found: list[Weights] = self._transport.request("GET", self._path)["items"]
        return found

    def get(self, weights_id: int) -> Weights:
        """One of them.

        Args:
            weights_id: Its number.
        """
        found: Weights = self._transport.request("GET", f"{self._path}/{weights_id}")
        return found

    def add(
        self,
        path: str | Path,
        architecture: str,
        *,
        library: Library = "timm",
        name: str | None = None,
        on_sent: Callable[[int, int], None] | None = None,
        timeout: float | None = 0.0,
    ) -> Weights:
        """Upload a safetensors file; for admins.

        Args:
            path: The file.
            architecture: What it is of, as the library calls it.
            library: Which library.
            name: What projects choose it by; that of the file, without its ending, if None.
            on_sent: Called with the bytes sent and those of the file.
            timeout: Seconds to wait for the check by a worker; as long as it takes if None, and not
                at all if 0.

        Returns:
            The weights; their ``state`` says whether they fit.

        Raises:
            KaratError: ``invalid_weights``, ``name_taken``, ``weights_there`` and others;
                ``timeout`` if nobody has looked by then: the weights are there.
            NothingToSend: There is no such file.
        """
        file = Path(path)
        if file.is_dir():
            raise NothingToSend(f"{file} is a folder; name a .safetensors file.")
        what = upload(file)
        query = {"filename": what.filename, "architecture": architecture, "library": library}
        if name is not None:
            query["name"] = name
        made: Weights = self._transport.request(
            "POST", self._path, query=query, content=lambda: what.counted(on_sent)
        )
        return self.wait(made["id"], timeout=timeout) if timeout != 0.0 else made

    def wait(self, weights_id: int, *, timeout: float | None = None) -> Weights:
        """Wait until a worker has looked whether weights fit.

        Args:
            weights_id: Their number.
            timeout: Seconds to wait at most; unlimited if None.

        Returns:
            The weights, ``ready``, ``refused`` or ``lost``.

        Raises:
            KaratError: No worker had time to look by then (``timeout``).
        """
        return waited(
            lambda: self.get(weights_id),
            lambda found: found["state"] != "checking",
            lambda found: f"No worker had time to check the weights {found['name']} yet.",
            timeout=timeout,
            interval=0.3,
        )

    def named(self, name: str) -> Weights:
        """Those of a name.

        Args:
            name: The name.

        Raises:
            KaratError: ``weights_not_found``.
        """
        known = self.list()
        for one in known:
            if one["name"] == name:
                return one
        names = ", ".join(one["name"] for one in known) or "none"
        raise KaratError("weights_not_found", f"There are no weights {name!r}; there are {names}.")

    def remove(self, weights_id: int) -> None:
        """Delete weights that no project starts from; for admins.

        Args:
            weights_id: Their number.

        Raises:
            KaratError: ``weights_in_use``.
        """
        self._transport.request("DELETE", f"{self._path}/{weights_id}")
