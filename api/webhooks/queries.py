from collections.abc import Sequence

from sqlalchemy import Select, func, select

from core.tables import Delivery, Project, Webhook, WebhookEvent


def of_project(project_id: int | None) -> Select[Webhook]:
    """Statement: the webhooks of a project, or those of the installation."""
    return select(Webhook).where(Webhook.project_id == project_id).order_by(Webhook.id)


def deliveries() -> Select[Delivery, WebhookEvent, str]:
    """Statement: what webhooks were told, each with its event and the name of its project."""
    return (
        select(Delivery, WebhookEvent, Project.name)
        .join(WebhookEvent, WebhookEvent.id == Delivery.event_id)
        .outerjoin(Project, Project.id == WebhookEvent.project_id)
    )


def latest(webhook_ids: Sequence[int]) -> Select[Delivery, WebhookEvent, str]:
    """Statement: the newest delivery of each webhook, found by index."""
    newest = (
        select(Delivery.id)
        .where(Delivery.webhook_id == Webhook.id)
        .order_by(Delivery.id.desc())
        .limit(1)
        .correlate(Webhook)
        .scalar_subquery()
    )
    of_each = select(newest).select_from(Webhook).where(Webhook.id.in_(webhook_ids))
    return deliveries().where(Delivery.id.in_(of_each))


def waiting(webhook_ids: Sequence[int]) -> Select[int, int]:
    """Statement: how much each webhook is still to be told."""
    return (
        select(Delivery.webhook_id, func.count())
        .where(Delivery.webhook_id.in_(webhook_ids), Delivery.due_at.is_not(None))
        .group_by(Delivery.webhook_id)
    )
