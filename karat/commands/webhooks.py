"""``karat webhook``."""

import time
from http import HTTPStatus
from typing import TYPE_CHECKING, Annotated, cast

import typer

from karat.commands.connection import JsonOption, connect, find_project, first
from karat.terminal import echo, show_json, show_table, when

if TYPE_CHECKING:
    from karat.client.client import Client
    from karat.client.webhook import WebhooksClient
    from karat.client.webhook_types import Delivery, WebhookEvent, WebhookSecret

webhooks = typer.Typer(help="Tell other programs what happens.", no_args_is_help=True)

ProjectOption = Annotated[
    str | None,
    typer.Option(metavar="PROJECT", help="Name or number; all projects (admins) if left out."),
]
WebhookArgument = Annotated[int, typer.Argument(metavar="WEBHOOK", help="Its number.")]

# A little longer than an attempt may take.
_TEST_SECONDS = 90.0


def _place(client: "Client", project: str | None) -> "WebhooksClient":
    return client.webhooks if project is None else find_project(client, project).webhooks


@webhooks.command("list")
def list_webhooks(project: ProjectOption = None, as_json: JsonOption = False) -> None:
    """List the webhooks of a project, or those of all projects."""
    with connect() as client:
        found = _place(client, project).list()
    if as_json:
        return show_json(found)
    rows = [
        (
            one["id"],
            one["url"],
            len(one["events"]),
            "on" if one["active"] else one["off_reason"] or "off",
            one["waiting"],
            when(one["failing_since"]),
        )
        for one in found
    ]
    columns = ("#id", "address", "#events", "state", "#waiting", "failing since")
    return show_table(columns, rows, "There are no webhooks.")


@webhooks.command("add")
def add(
    url: Annotated[str, typer.Argument(help="Where to send what happens.")],
    project: ProjectOption = None,
    event: Annotated[
        list[str] | None,
        typer.Option(help="Such as round.closed; several times; everything if left out."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Tell an address what happens; prints the secret, which is shown this once."""
    with connect() as client:
        made = _place(client, project).create(url, cast("list[WebhookEvent] | None", event))
    _show_secret(made, as_json=as_json)


@webhooks.command("rotate")
def rotate(webhook: WebhookArgument, as_json: JsonOption = False) -> None:
    """Make a new secret and print it; for a day the one before signs as well."""
    with connect() as client:
        made = client.webhooks.rotate_secret(webhook)
    _show_secret(made, as_json=as_json)


def _show_secret(made: "WebhookSecret", *, as_json: bool) -> None:
    if as_json:
        return show_json(made)
    echo(f"Webhook {made['webhook']['id']} to {made['webhook']['url']}.")
    echo(f"Secret, shown this once: {made['secret']}")
    return None


@webhooks.command("enable")
def enable(webhook: WebhookArgument) -> None:
    """Switch a webhook on; what waited is told now."""
    with connect() as client:
        client.webhooks.update(webhook, active=True)
    echo(f"Webhook {webhook} is on.")


@webhooks.command("disable")
def disable(webhook: WebhookArgument) -> None:
    """Switch a webhook off; what happens meanwhile is not told."""
    with connect() as client:
        client.webhooks.update(webhook, active=False)
    echo(f"Webhook {webhook} is off.")


@webhooks.command("remove")
def remove(webhook: WebhookArgument) -> None:
    """Remove a webhook with all that it is still to be told."""
    with connect() as client:
        client.webhooks.delete(webhook)
    echo(f"Webhook {webhook} is removed.")


@webhooks.command("test")
def send_test(webhook: WebhookArgument, as_json: JsonOption = False) -> None:
    """Send a test and wait for the first answer; ends with status 1 if it was not accepted."""
    with connect() as client:
        sent = client.webhooks.test(webhook)["id"]
        deadline = time.monotonic() + _TEST_SECONDS
        while True:
            told = next(one for one in client.webhooks.deliveries(webhook) if one["id"] == sent)
            over = told["state"] != "waiting" or told["fault"] is not None
            if over or time.monotonic() > deadline:
                break
            time.sleep(0.2)
    if as_json:
        show_json(told)
    elif over:
        echo(_came_of(told, webhook))
    else:
        echo("Nobody has sent it yet: no worker takes from the queue web.")
    if told["state"] != "delivered":
        raise typer.Exit(1)


def _came_of(told: "Delivery", webhook: int) -> str:
    if told["state"] == "delivered":
        return f"Accepted with {told['status']} after {told['seconds']:.2f} s."
    if told["status"] == HTTPStatus.GONE:
        after = f"The webhook is off now; switch it on with: karat webhook enable {webhook}"
    else:
        after = "It is tried again." if told["state"] == "waiting" else "It is not tried again."
    return f"Not accepted: {told['fault']}: {told['detail']}. {after}"


@webhooks.command("deliveries")
def deliveries(
    webhook: WebhookArgument,
    limit: Annotated[int, typer.Option("--limit", "--last", min=1, help="How many at most.")] = 20,
    as_json: JsonOption = False,
) -> None:
    """List what a webhook was told and is to be told, the latest first."""
    with connect() as client:
        found = first(client.webhooks.deliveries(webhook), limit)
    if as_json:
        return show_json(found)
    rows = [
        (
            one["id"],
            one["event"],
            one["state"],
            one["attempts"],
            one["status"],
            one["fault"],
            when(one["delivered_at"] or one["sent_at"] or one["created_at"]),
        )
        for one in found
    ]
    columns = ("#id", "event", "state", "#attempts", "#status", "fault", "when")
    return show_table(columns, rows, "It was told nothing yet.")


@webhooks.command("redeliver")
def redeliver(
    webhook: WebhookArgument,
    delivery: Annotated[int, typer.Argument(help="Its number, from karat webhook deliveries.")],
) -> None:
    """Tell an event once more, under the id that it had."""
    with connect() as client:
        made = client.webhooks.redeliver(webhook, delivery)
    echo(f"Delivery {made['id']} is on its way.")
