"""The client's part for labels that a model gives, with a promise of how many are wrong."""

import time
from collections.abc import Iterator
from typing import Final, Literal

from karat.client.certificate_types import Certificate, CertificateDetail, CertificateReport
from karat.client.transport import Transport

_OVER: Final = frozenset({"ready", "applied", "revoked", "refused"})


class CertificatesClient:
    """Certificates of a project; made by ``ProjectClient.certificates``."""

    def __init__(self, transport: Transport, path: str) -> None:
        """Name them.

        Args:
            transport: The client's connection.
            path: Of the project's certificates.
        """
        self._transport, self._path = transport, path

    def begin(
        self,
        *,
        target: float = 0.02,
        confidence: float = 0.95,
        scope: Literal["all", "class"] = "all",
        missed_in: float | None = None,
        at_most: int | None = None,
        overlap: int = 1,
    ) -> Certificate:
        """Begin to certify what the newest model would label; nothing is labeled yet.

        Args:
            target: Share of wrong labels, at most, above 0 and up to 0.5.
            confidence: How sure that is, 0.5 to below 1.
            scope: Of all labels together, or of each class.
            missed_in: Share of what is of a class among what the model calls OOD, at most; as
                ``target`` if left out.
            at_most: Answers that people may be asked for.
            overlap: How many people look at each image that is drawn, 1 to 5.

        Raises:
            KaratError: ``no_model``, ``nothing_unlabeled``, ``certificate_open`` or
                ``not_for_task``.
        """
        body = {
            "target": target,
            "confidence": confidence,
            "scope": scope,
            "missed_in": missed_in,
            "at_most": at_most,
            "overlap": overlap,
        }
        found: Certificate = self._transport.request("POST", self._path, body=body)
        return found

    def all(self) -> Iterator[Certificate]:
        """Every certificate, the newest first."""
        yield from self._transport.pages(self._path)

    def get(self, certificate_id: int) -> CertificateDetail:
        """A certificate with its lots.

        Raises:
            KaratError: ``not_found``.
        """
        found: CertificateDetail = self._transport.request("GET", f"{self._path}/{certificate_id}")
        return found

    def wait(
        self, certificate_id: int, *, timeout: float | None = None, interval: float = 2.0
    ) -> CertificateDetail:
        """Wait until a certificate is decided; people answer meanwhile.

        Args:
            certificate_id: Which.
            timeout: Seconds to wait at most.
            interval: Seconds between looks.

        Raises:
            TimeoutError: It is not decided by then.
        """
        began = time.monotonic()
        while True:
            found = self.get(certificate_id)
            if found["state"] in _OVER:
                return found
            if timeout is not None and time.monotonic() - began > timeout:
                raise TimeoutError(
                    f"Certificate {certificate_id} is {found['state']} after {timeout:g} s; "
                    f"{found['waiting']} images wait for people."
                )
            time.sleep(interval)

    def apply(self, certificate_id: int) -> Certificate:
        """Label by a certificate, as a whole.

        Raises:
            KaratError: ``certificate_<state>`` where it is not ready, ``pool_changed`` or
                ``class_gone``.
        """
        path = f"{self._path}/{certificate_id}/apply"
        found: Certificate = self._transport.request("POST", path)
        return found

    def revoke(self, certificate_id: int) -> Certificate:
        """Take back its labels, or stop asking for it; what people said stays.

        Raises:
            KaratError: ``certificate_<state>``, if there is nothing to take back.
        """
        path = f"{self._path}/{certificate_id}/revoke"
        found: Certificate = self._transport.request("POST", path)
        return found

    def report(self, certificate_id: int) -> CertificateReport:
        """What is promised, what it rests on, and of which model, data and settings."""
        path = f"{self._path}/{certificate_id}/report"
        found: CertificateReport = self._transport.request("GET", path)
        return found
