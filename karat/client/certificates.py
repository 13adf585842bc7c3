"""The client's part for labels that a model gives, with a promise of how many are wrong."""

from collections.abc import Collection, Iterator
from typing import Final, Literal

from karat.client.certificate_types import Certificate, CertificateDetail, CertificateReport
from karat.client.notebook import Told
from karat.client.transport import Transport
from karat.client.waiting import waited

_SOON: Final = 0.3
_UNDECIDED: Final = frozenset({"scoring", "asking"})
_AT_WORK: Final = frozenset({"applying", "revoking"})


class CertificatesClient(Told):
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
        """Wait until a certificate is decided, or what was asked of the workers is done.

        Args:
            certificate_id: Which.
            timeout: Seconds to wait at most; unlimited if None.
            interval: Seconds between looks, at most.

        Raises:
            KaratError: It is not decided, applied or taken back by then (``timeout``).
        """
        return self._wait(certificate_id, _UNDECIDED | _AT_WORK, timeout, interval)

    def _wait(
        self, certificate_id: int, states: Collection[str], timeout: float | None, interval: float
    ) -> CertificateDetail:
        """Wait while a certificate is in one of these states."""

        def so_far(found: CertificateDetail) -> str:
            why = found["stalled"] or f"{found['waiting']} images wait for people."
            return f"Certificate {certificate_id} is {found['state']} after {timeout:g} s: {why}"

        return waited(
            lambda: self.get(certificate_id),
            lambda found: found["state"] not in states,
            so_far,
            timeout=timeout,
            interval=interval,
        )

    def apply(self, certificate_id: int, *, timeout: float | None = None) -> CertificateDetail:
        """Label by a certificate, and wait for the workers that do it.

        Args:
            certificate_id: Which.
            timeout: Seconds to wait at most; it goes on all the same.

        Returns:
            The certificate: ``applied``, or ``refused`` if what was promised does not hold any more
            of what people have left; ``ready`` or ``asking`` if people have corrected what they
            said of checked images, so that something else would be labeled, or more has to be
            looked at.

        Raises:
            KaratError: ``certificate_<state>`` where it is not ready, ``certificate_open``,
                ``class_gone`` or ``class_added``; ``timeout`` if it is not done by then.
        """
        self._transport.request("POST", f"{self._path}/{certificate_id}/apply")
        return self._wait(certificate_id, _AT_WORK, timeout, _SOON)

    def revoke(self, certificate_id: int, *, timeout: float | None = None) -> CertificateDetail:
        """Take back its labels, or stop asking for it, and wait for the workers that do it.

        What people said stays.

        Args:
            certificate_id: Which.
            timeout: Seconds to wait at most; it goes on all the same.

        Raises:
            KaratError: ``certificate_<state>``, if there is nothing to take back; ``timeout`` if
                it is not done by then.
        """
        self._transport.request("POST", f"{self._path}/{certificate_id}/revoke")
        return self.wait(certificate_id, timeout=timeout, interval=_SOON)

    def report(self, certificate_id: int) -> CertificateReport:
        """What is promised, what it rests on, and of which model, data and settings."""
        path = f"{self._path}/{certificate_id}/report"
        found: CertificateReport = self._transport.request("GET", path)
        return found
