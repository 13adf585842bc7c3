"""What the Python client's types are called, which module each is in, and what it is made from."""

from collections.abc import Mapping
from typing import Final, NamedTuple

_MADE: Final = "Made from the API's description: ``make openapi`` writes it anew."


class Shown(NamedTuple):
    """How a schema is shown to those who use the client.

    Attributes:
        schema: Its name in the API's description.
        says: What it is, where the description does not say so, or says it of the API's caller.
        filled: Fields that the API asks for and the client fills in.
        sent: Whether it is sent: what the API does not ask for may then be missing.
    """

    schema: str
    says: str = ""
    filled: frozenset[str] = frozenset()
    sent: bool = False


_KEY: Final = frozenset({"key"})
# Their names are what users import; an entry's place is of no meaning.
RESOURCES: Final[Mapping[str, Shown]] = {
    "Scope": Shown("Scope"),
    "Role": Shown("Role"),
    "Medium": Shown("Medium"),
    "Split": Shown("Split"),
    "FolderChoice": Shown("FolderChoice"),
    "Verdict": Shown("Verdict"),
    "ProjectState": Shown("ProjectState"),
    "RoundState": Shown("RoundState"),
    "JobState": Shown("JobState"),
    "JobKind": Shown("JobKind"),
    "ExampleState": Shown("ExampleState"),
    "ExportFormat": Shown("Format"),
    "ExportFormatInfo": Shown("ExportFormat"),
    "User": Shown("UserOut", "A person or a program that logs in."),
    "Token": Shown("TokenOut", "An API token, without its secret."),
    "NewToken": Shown("TokenCreated", "An API token at the only moment its secret is shown."),
    "ClassSpec": Shown("ClassIn", sent=True),
    "Class": Shown("ClassOut", "A class of a project."),
    "Counts": Shown("Counts"),
    "CurrentRound": Shown("CurrentRound", "How far the budget of the current round is spent."),
    "ProjectListed": Shown("ProjectListed"),
    "Project": Shown("ProjectOut"),
    "ProjectRole": Shown("ProjectRole"),
    "Retention": Shown("RetentionOut"),
    "Member": Shown("MemberOut", "A member of a project."),
    "Progress": Shown("Progress"),
    "JobError": Shown("JobError", "Why a job failed."),
    "JobPause": Shown("JobPause"),
    "Job": Shown("JobOut", "Work done by a worker."),
    "OfTexts": Shown("OfTextsOut"),
    "Algorithm": Shown("AlgorithmOut"),
}
POOL: Final[Mapping[str, Shown]] = {
    "InstructionTurn": Shown("InstructionTurn"),
    "InstructionFields": Shown("InstructionFields"),
    "PictureSize": Shown("ThumbnailSize"),
    "FieldValue": Shown("FieldValue"),
    "FieldValues": Shown("FieldValues"),
    "Example": Shown("ExampleOut"),
    "LookAlike": Shown("LookAlike"),
    "AnnotationSource": Shown("Source"),
    "Filters": Shown("Filters", sent=True),
    "Count": Shown("ExampleCount"),
    "Stance": Shown("Stance"),
    "DuplicateGroup": Shown("DuplicateGroup"),
    "Changed": Shown("Changed"),
    "Judged": Shown("Judged"),
    "ImportedPredictions": Shown("PredictionsOut"),
}
LABELING: Final[Mapping[str, Shown]] = {
    "QueryMember": Shown("QueryMember"),
    "Proposal": Shown("Proposal"),
    "SuggestedClass": Shown("SuggestedClass"),
    "ShownField": Shown("ShownField"),
    "Query": Shown("LeasedQuery"),
    "Mine": Shown("MyCounts", "How many verdicts the user gave; a corrected one counts once."),
    "RoundStatus": Shown(
        "RoundStatus", "How far the budget of the round that is labeled is spent."
    ),
    "LabelingStatus": Shown(
        "Status", "What there is to label, and if nothing, why; `mine` if the status is asked for."
    ),
    "Lease": Shown("Lease"),
    "Answer": Shown(
        "AnswerIn",
        "A verdict on a query. `key` names it: sent twice, it counts once.\n\n"
        "With the project's `classes_version` as its classes were shown, an answer is refused if\n"
        "its class is another one by now.",
        filled=_KEY,
        sent=True,
    ),
    "Note": Shown("NoteOut"),
    "RecentAnswer": Shown(
        "RecentAnswer",
        "A verdict that the user gave; another that `supersedes` its `key` corrects it.",
    ),
    "AnswerResult": Shown("AnswerResult"),
    "AnswerReceipt": Shown("AnswersOut", "The results of a batch of answers, in their order."),
}
FINDINGS: Final[Mapping[str, Shown]] = {
    "SubsetFormat": Shown("SubsetFormat"),
    "ArtifactKind": Shown("ArtifactKind"),
    "Artifact": Shown("ArtifactOut", "A file that a job made."),
    "ExportedClass": Shown("ExportedClass"),
    "Answered": Shown("Answered"),
    "OodEstimate": Shown("Estimate"),
    "OodLeft": Shown("OodLeft"),
    "Round": Shown("RoundOut"),
    "DrawnShare": Shown("AuditShare"),
    "HumanError": Shown("HumanError"),
    "ClassAudit": Shown("ClassAudit"),
    "AuditEstimate": Shown("AuditEstimate"),
    "AuditAsked": Shown("AuditAsked"),
    "Reason": Shown("Reason"),
    "Outlook": Shown("OutlookOut"),
    "Subset": Shown("SubsetOut"),
    "ClassShare": Shown("ClassShare"),
    "Noise": Shown("NoiseOut"),
    "ComparedSubset": Shown("SubsetSide"),
    "OnlyHere": Shown("OnlyHere"),
    "SubsetComparison": Shown("SubsetComparison"),
}
REVIEWS: Final[Mapping[str, Shown]] = {
    "ReviewDecision": Shown("Decision"),
    "AgreementFigures": Shown("Agreement"),
    "ProposalFates": Shown("ProposalFates"),
    "Voter": Shown("VoterAgreement"),
    "Proposer": Shown("ProposerAgreement"),
    "Agreement": Shown(
        "AgreementOut",
        "How far verdicts agree on whether an image is in-distribution, and on its class.",
    ),
    "Review": Shown("ReviewOut"),
    "Interval": Shown("IntervalOut"),
    "Remaining": Shown("Remaining"),
    "ReviewAudit": Shown("ReviewAuditOut"),
    "ReviewEstimate": Shown("ReviewEstimate"),
    "Votes": Shown("Votes"),
    "Suggestion": Shown("SuggestionOut"),
    "Decision": Shown(
        "DecisionIn",
        'One decision of a reviewer; None takes back the one before, "other" names a class.',
        filled=_KEY,
        sent=True,
    ),
    "DecisionResult": Shown("DecisionResult"),
    "DecisionReceipt": Shown(
        "DecisionsOut", "What became of decisions, and how far the review is."
    ),
}
SELECTIONS: Final[Mapping[str, Shown]] = {
    "SelectionReason": Shown("SelectionReason"),
    "ClusterStatus": Shown("ClusterStatus"),
    "SelectionFormat": Shown("SelectionFormat"),
    "RankableShare": Shown("RankableShare"),
    "TiedScores": Shown("TiedScores"),
    "JudgeCost": Shown("JudgeCost"),
    "JudgeAgreement": Shown("JudgeAgreement"),
    "PeopleAsked": Shown("PeopleOut"),
    "LengthHistograms": Shown("LengthHistograms"),
    "Topic": Shown("Topic"),
    "Selection": Shown("SelectionOut"),
    "SelectedRow": Shown("SelectedRow"),
    "SelectedCluster": Shown("SelectedCluster"),
    "ComparedSelection": Shown("ComparedSelection", "One of the two that are compared."),
    "SelectionComparison": Shown("SelectionComparison"),
}
SNAPSHOTS: Final[Mapping[str, Shown]] = {
    "SnapshotOrigin": Shown("Origin"),
    "SnapshotDifference": Shown("Change"),
    "SnapshotCounts": Shown("SnapshotCounts"),
    "SnapshotClass": Shown("SnapshotClass"),
    "Snapshot": Shown("SnapshotOut"),
    "SnapshotSide": Shown("SnapshotSide"),
    "SnapshotChange": Shown("SnapshotChange"),
    "SnapshotFlow": Shown("SnapshotFlow"),
    "RenamedClass": Shown("RenamedClass"),
    "SnapshotDiff": Shown("SnapshotDiff"),
}
CERTIFICATES: Final[Mapping[str, Shown]] = {
    "CertificateState": Shown("CertificateState"),
    "LotState": Shown("LotState"),
    "CertificateBound": Shown("Bound"),
    "CertificateBand": Shown("Band"),
    "LotCounts": Shown("LotCounts"),
    "ModelRef": Shown("ModelRef"),
    "Certificate": Shown("CertificateOut"),
    "CertificateLot": Shown("CertificateLot"),
    "CertificateDetail": Shown("CertificateDetail"),
    "LookedAt": Shown("LookedAt"),
    "ClassReport": Shown("ClassReport"),
    "CertificateReport": Shown("CertificateReport"),
}
JUDGES: Final[Mapping[str, Shown]] = {
    "Trial": Shown("Trial"),
    "Judge": Shown("JudgeOut"),
}
WITHDRAWALS: Final[Mapping[str, Shown]] = {
    "WithdrawalPreview": Shown("WithdrawalPreview"),
    "Withdrawal": Shown("WithdrawalOut"),
}
SYNCS: Final[Mapping[str, Shown]] = {
    "SyncFinding": Shown("SyncFinding"),
    "SyncImport": Shown("SyncImport"),
    "Sync": Shown("SyncOut"),
    "SyncObject": Shown("SyncObjectOut"),
}
WEBHOOKS: Final[Mapping[str, Shown]] = {
    "WebhookEvent": Shown("EventKind", "What a webhook can be told of."),
    "SwitchedOff": Shown("SwitchedOff"),
    "DeliveryFault": Shown("DeliveryFault"),
    "Delivery": Shown("DeliveryOut"),
    "Webhook": Shown("WebhookOut"),
    "WebhookSecret": Shown("WebhookSecret"),
}
WEIGHTS: Final[Mapping[str, Shown]] = {
    "UsingProject": Shown("UsingProject", "A project that starts from weights."),
    "Uploader": Shown("Uploader", "Who has uploaded weights."),
    "Weights": Shown("WeightsOut"),
}
MODULES: Final = {
    "resources": (
        "Users, projects and jobs, as the API returns them.\n\n"
        f"Times are ISO 8601 strings in UTC. {_MADE}",
        RESOURCES,
    ),
    "pool_types": (
        f"Images and texts of a pool.\n\n{_MADE}",
        POOL,
    ),
    "labeling_types": (
        f"What there is to label, and what became of answers.\n\n{_MADE}",
        LABELING,
    ),
    "findings": (
        f"What rounds and jobs found and made.\n\n{_MADE}",
        FINDINGS,
    ),
    "review_types": (
        f"Where verdicts disagree or are doubted, and what was decided.\n\n{_MADE}",
        REVIEWS,
    ),
    "selections": (
        f"What jobs have chosen among instructions.\n\n{_MADE}",
        SELECTIONS,
    ),
    "snapshot_types": (
        f"Data sets as they were, and what changed between them.\n\n{_MADE}",
        SNAPSHOTS,
    ),
    "certificate_types": (
        f"What is promised of labels that models give.\n\n{_MADE}",
        CERTIFICATES,
    ),
    "judge_types": (
        f"Models behind an address that rank instructions.\n\n{_MADE}",
        JUDGES,
    ),
    "sync_types": (
        f"Places that pools follow, and what was found there.\n\n{_MADE}",
        SYNCS,
    ),
    "webhook_types": (
        f"Addresses that are told of events.\n\n{_MADE}",
        WEBHOOKS,
    ),
    "withdrawal_types": (
        f"What was taken out of a project for good.\n\n{_MADE}",
        WITHDRAWALS,
    ),
    "weights_types": (
        f"Weights of networks that projects start from.\n\n{_MADE}",
        WEIGHTS,
    ),
}
