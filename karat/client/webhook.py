"""The client's part for webhooks: those of a project, or those of all projects."""

from collections.abc import Iterator, Sequence
from typing import Any

from karat.client.arguments import listed
from karat.client.notebook import Told
from karat.client.transport import Transport
from karat.client.webhook_types import Delivery, Webhook, WebhookEvent, WebhookSecret


class WebhooksClient(Told):
    """Addresses that are told what happens.

    Made by ``ProjectClient.webhooks`` for one project, and by ``Client.webhooks`` for all.
    """

    def __init__(self, transport: Transport, path: str) -> None:
        """Name the place.

        Args:
            transport: The client's connection.
            path: Where the list is, below ``/api``.
        """
        self._transport = transport
        self._path = path

    def list(self) -> "list[Webhook]":
        """The webhooks, without their secrets."""
        return [*self._transport.pages(self._path)]

    def create(self, url: str, events: Sequence[WebhookEvent] | None = None) -> WebhookSecret:
        """Tell an address what happens.

        Args:
            url: Where to send it, as ``https://…``.
            events: What to tell of; everything if None.

        Returns:
            The webhook with its secret, which is shown this once.

        Raises:
            KaratError: ``address_not_allowed``, ``malformed``, ``too_many_webhooks``.
        """
        body = {"url": url} if events is None else {"url": url, "events": listed(events, "events")}
        made: WebhookSecret = self._transport.request("POST", self._path, body=body)
        return made

    def get(self, webhook_id: int) -> Webhook:
        """A webhook as it is now.

        Args:
            webhook_id: The webhook.
        """
        found: Webhook = self._transport.request("GET", f"/webhooks/{webhook_id}")
        return found

    def update(self, webhook_id: int, **changes: Any) -> Webhook:
        """Change a webhook.

        Args:
            webhook_id: The webhook.
            **changes: Any of ``url``, ``events``, ``active``.

        Returns:
            The changed webhook.
        """
        found: Webhook = self._transport.request("PATCH", f"/webhooks/{webhook_id}", body=changes)
        return found

    def delete(self, webhook_id: int) -> None:
        """Tell an address nothing any more.

        Args:
            webhook_id: The webhook.
        """
        self._transport.request("DELETE", f"/webhooks/{webhook_id}")

    def rotate_secret(self, webhook_id: int) -> WebhookSecret:
        """Make a new secret; for a day the one before signs as well.

        Args:
            webhook_id: The webhook.

        Returns:
            The webhook with its new secret, which is shown this once.
        """
        made: WebhookSecret = self._transport.request("POST", f"/webhooks/{webhook_id}/secret")
        return made

    def test(self, webhook_id: int) -> Delivery:
        """Send a ``webhook.test``; ``deliveries`` tells what came of it.

        Args:
            webhook_id: The webhook.

        Raises:
            KaratError: ``webhook_inactive``.
        """
        made: Delivery = self._transport.request("POST", f"/webhooks/{webhook_id}/test")
        return made

    def deliveries(self, webhook_id: int) -> Iterator[Delivery]:
        """What a webhook was told in the last 30 days and is still to be told, the latest first.

        Args:
            webhook_id: The webhook.
        """
        yield from self._transport.pages(f"/webhooks/{webhook_id}/deliveries")

    def redeliver(self, webhook_id: int, delivery_id: int) -> Delivery:
        """Tell an event once more, under the id that it had.

        Args:
            webhook_id: The webhook.
            delivery_id: What it was told before.

        Raises:
            KaratError: ``webhook_inactive``, ``not_found``.
        """
        path = f"/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver"
        made: Delivery = self._transport.request("POST", path)
        return made
