"""The database schema, one module per area. Importing this package registers every table."""

from core.tables.annotation import Annotation
from core.tables.audit import Audit, AuditLink
from core.tables.certificate import Certificate, CertificateLot
from core.tables.example import COMPOSED_NAME, Example, ExampleText
from core.tables.job import DRY_RUN, HANDED_ON, Artifact, Job
from core.tables.judge import UNANSWERED, Judge, JudgeAnswer
from core.tables.prediction import Prediction
from core.tables.project import FormerClassName, Member, Project, ProjectClass
from core.tables.removal import COLLECTIONS, Removal, RemovalItem
from core.tables.round import Query, QueryMember, Round
from core.tables.signing_key import SigningKey
from core.tables.snapshot import PoolSnapshot
from core.tables.suggestion import Suggestion
from core.tables.sync import Sync, SyncObject
from core.tables.user import (
    ApiToken,
    Identity,
    LoginAttempt,
    LoginSession,
    RecoveryCode,
    SecondFactor,
    TokenRequests,
    User,
)
from core.tables.webhook import Delivery, Webhook, WebhookEvent
from core.tables.weights import PublishedWeights, Weights
from core.tables.withdrawal import Withdrawal, WithdrawalItem, WithdrawnObject
from core.tables.worker import Worker

__all__ = [
    "COLLECTIONS",
    "COMPOSED_NAME",
    "DRY_RUN",
    "HANDED_ON",
    "UNANSWERED",
    "Annotation",
    "ApiToken",
    "Artifact",
    "Audit",
    "AuditLink",
    "Certificate",
    "CertificateLot",
    "Delivery",
    "Example",
    "ExampleText",
    "FormerClassName",
    "Identity",
    "Job",
    "Judge",
    "JudgeAnswer",
    "LoginAttempt",
    "LoginSession",
    "Member",
    "PoolSnapshot",
    "Prediction",
    "Project",
    "ProjectClass",
    "PublishedWeights",
    "Query",
    "QueryMember",
    "RecoveryCode",
    "Removal",
    "RemovalItem",
    "Round",
    "SecondFactor",
    "SigningKey",
    "Suggestion",
    "Sync",
    "SyncObject",
    "TokenRequests",
    "User",
    "Webhook",
    "WebhookEvent",
    "Weights",
    "Withdrawal",
    "WithdrawalItem",
    "WithdrawnObject",
    "Worker",
]
