from datetime import datetime
from enum import StrEnum

from pydantic import BaseModel

from api.instruction_rows import InstructionFields
from core.artifacts.selections import Asked, ClusterStatus, SelectionReason, Source


class SelectionFormat(StrEnum):
    ALPACA = "alpaca"
    MESSAGES = "messages"
    PARQUET = "parquet"
    IDS = "ids"


class RankableShare(BaseModel):
    """A share, 0 to 1, of so many."""

    share: float
    of: int


class TiedScores(BaseModel):
    """What scores of single rows cannot rank: the share of the pairs of a cluster with one score.

    The scores are those of the job `scores_of`, the clusters those of `clusters_of`.
    """

    share: float
    scores_of: int
    clusters_of: int


class JudgeCost(BaseModel):
    """What asking a judge has come to; `kept_answers` were there before, and cost nothing.

    `spent` is by the prices of the judge when it was asked, null where it has none. `unanswered`
    counts the clusters, or rows, of which nothing was understood, by the reason.
    """

    id: int
    name: str
    model: str
    requests: int
    kept_answers: int
    tokens_in: int
    tokens_out: int
    spent: float | None
    unanswered: dict[str, int]


class JudgeAgreement(BaseModel):
    """In `agree` of `of` clusters people put first what the judge had put first.

    `low` and `high` are the ends of the exact 95 % interval of that share. They are of the clusters
    that were drawn by chance, so that they hold for all that the judge has ranked.
    """

    agree: int
    of: int
    low: float
    high: float


class PeopleOut(BaseModel):
    """What people were asked, in which round; `refused` says why they were not, if they were to be.

    `asked` and `audit` count clusters, `answered` those that people have ranked. `tau` is Kendall's
    between the order of the judge and that of people, on average over the audit, -1 to 1.
    """

    round: int | None
    asked: int
    audit: int
    answered: int
    agreement: JudgeAgreement | None
    tau: float | None
    refused: str | None


class LengthHistograms(BaseModel):
    """How long responses are, in characters: of all rows, and of those that are kept.

    `edges` are where bins begin; the last has no end.
    """

    edges: list[int]
    before: list[int]
    after: list[int]


class Topic(BaseModel):
    """A large group of rows, named by words that set it apart: how many it has, and kept ones."""

    words: list[str]
    rows: int
    kept: int


class SelectionOut(BaseModel):
    """What a job has chosen.

    `left_out` counts rows that were not chosen from. `rankable` is the share of the clusters, of
    those that were ranked in several orders, on which these agree more than chance does. `topics`
    are the largest first, none where rows were not embedded.
    """

    job_id: int
    artifact_id: int
    method: str
    rows: int
    kept: int
    left_out: int
    by_reason: dict[SelectionReason, int]
    clusters: int
    largest: int
    mean_size: float | None
    alone: int
    ranked: int
    rankable: RankableShare | None
    undecided: int
    unranked: int
    non_rankable: TiedScores | None
    judge: JudgeCost | None
    people: PeopleOut | None
    lengths: LengthHistograms
    topics: list[Topic]
    warnings: list[str]
    created_at: datetime


class SelectedRow(BaseModel):
    """A row, and what became of it; `rank` is 1 for the best of its cluster."""

    example_id: int
    pool_index: int
    name: str
    fields: InstructionFields | None
    cluster: int | None
    kept: bool
    reason: SelectionReason
    rank: int | None
    score: float | None
    source: Source


class SelectedCluster(BaseModel):
    """Rows that are alike, the best first.

    `w` is Kendall's W of the orders of the judge, 0 to 1, and `p_value` how often chance alone
    agrees as much; null where there was one order, or none, and `p_value` also where so few orders
    of so few rows can tell nothing.
    """

    cluster: int
    status: ClusterStatus
    w: float | None
    p_value: float | None
    asked: Asked | None
    source: Source
    members: list[SelectedRow]


class ClusterPageOut(BaseModel):
    items: list[SelectedCluster]
    next_cursor: int | None
    total: int


class ComparedSelection(BaseModel):
    job_id: int
    method: str
    kept: int


class SelectionComparison(BaseModel):
    """Two selections side by side, by what they keep."""

    one: ComparedSelection
    other: ComparedSelection
    both: int
    only_one: int
    only_other: int
    jaccard: float
    first_only_one: list[SelectedRow]
    first_only_other: list[SelectedRow]
