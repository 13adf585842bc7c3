"""What jobs have chosen among instructions.

Made from the API's description: ``make openapi`` writes it anew.
"""

from typing import Literal, TypedDict

from karat.client.pool_types import InstructionFields

SelectionReason = Literal[
    "best_of_cluster",
    "not_best",
    "tied",
    "unranked",
    "drawn_unranked",
    "by_people",
    "wrong_by_people",
    "ood_by_people",
    "alone_kept",
    "alone_wrong",
    "alone_dropped",
    "score",
    "low_score",
    "unscored",
    "covers",
    "covered",
    "drawn",
    "not_drawn",
    "long",
    "short",
    "held_out",
    "ood",
]
"""Why a row is kept, or dropped."""
ClusterStatus = Literal["decided", "undecided", "unranked", "alone", "plain"]
"""How sure the judge is of a cluster.

``undecided`` where its orders differ so much that chance explains them, ``unranked`` where none
of its answers was a ranking, ``alone`` of a cluster of one row, ``plain`` where nobody was
asked for an order."""
SelectionFormat = Literal["alpaca", "messages", "parquet", "ids"]


class RankableShare(TypedDict):
    """A share, 0 to 1, of so many."""

    of: int
    share: float


class TiedScores(TypedDict):
    """What scores of single rows cannot rank: the share of the pairs of a cluster with one score.

    The scores are those of the job `scores_of`, the clusters those of `clusters_of`.
    """

    clusters_of: int
    scores_of: int
    share: float


class JudgeCost(TypedDict):
    """What asking a judge has come to; `kept_answers` were there before, and cost nothing.

    `spent` is by the prices of the judge when it was asked, null where it has none. `unanswered`
    counts the clusters, or rows, of which nothing was understood, by the reason.
    """

    id: int
    kept_answers: int
    model: str
    name: str
    requests: int
    spent: float | None
    tokens_in: int
    tokens_out: int
    unanswered: dict[str, int]


class JudgeAgreement(TypedDict):
    """In `agree` of `of` clusters people put first what the judge had put first.

    `low` and `high` are the ends of the exact 95 % interval of that share. They are of the clusters
    that were drawn by chance, so that they hold for all that the judge has ranked.
    """

    agree: int
    high: float
    low: float
    of: int


class PeopleAsked(TypedDict):
    """What people were asked, in which round; `refused` says why they were not, if they were to be.

    `asked` and `audit` count clusters, `answered` those that people have ranked. `tau` is Kendall's
    between the order of the judge and that of people, on average over the audit, -1 to 1.
    """

    agreement: JudgeAgreement | None
    answered: int
    asked: int
    audit: int
    refused: str | None
    round: int | None
    tau: float | None


class LengthHistograms(TypedDict):
    """How long responses are, in characters: of all rows, and of those that are kept.

    `edges` are where bins begin; the last has no end.
    """

    after: list[int]
    before: list[int]
    edges: list[int]


class Topic(TypedDict):
    """A large group of rows, named by words that set it apart: how many it has, and kept ones."""

    kept: int
    rows: int
    words: list[str]


class Selection(TypedDict):
    """What a job has chosen.

    `left_out` counts rows that were not chosen from. `rankable` is the share of the clusters, of
    those that were ranked in several orders, on which these agree more than chance does. `topics`
    are the largest first, none where rows were not embedded.
    """

    alone: int
    artifact_id: int
    by_reason: dict[SelectionReason, int]
    clusters: int
    created_at: str
    job_id: int
    judge: JudgeCost | None
    kept: int
    largest: int
    left_out: int
    lengths: LengthHistograms
    mean_size: float | None
    method: str
    non_rankable: TiedScores | None
    people: PeopleAsked | None
    rankable: RankableShare | None
    ranked: int
    rows: int
    topics: list[Topic]
    undecided: int
    unranked: int
    warnings: list[str]


class SelectedRow(TypedDict):
    """A row, and what became of it; `rank` is 1 for the best of its cluster."""

    cluster: int | None
    example_id: int
    fields: InstructionFields | None
    kept: bool
    name: str
    pool_index: int
    rank: int | None
    reason: SelectionReason
    score: float | None
    source: Literal["judge", "people", "method"]


class SelectedCluster(TypedDict):
    """Rows that are alike, the best first.

    `w` is Kendall's W of the orders of the judge, 0 to 1, and `p_value` how often chance alone
    agrees as much; null where there was one order, or none, and `p_value` also where so few orders
    of so few rows can tell nothing.
    """

    asked: Literal["undecided", "audit"] | None
    cluster: int
    members: list[SelectedRow]
    p_value: float | None
    source: Literal["judge", "people", "method"]
    status: ClusterStatus
    w: float | None


class ComparedSelection(TypedDict):
    """One of the two that are compared."""

    job_id: int
    kept: int
    method: str


class SelectionComparison(TypedDict):
    """Two selections side by side, by what they keep."""

    both: int
    first_only_one: list[SelectedRow]
    first_only_other: list[SelectedRow]
    jaccard: float
    one: ComparedSelection
    only_one: int
    only_other: int
    other: ComparedSelection
