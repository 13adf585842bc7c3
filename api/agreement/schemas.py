from pydantic import BaseModel


class Agreement(BaseModel):
    """How far verdicts on the same images agree.

    `share` is that of pairs of verdicts which are the same; `alpha` is Krippendorff's, 1 for full
    agreement and 0 for that of chance. Both are null where there is no pair.
    """

    pairs: int
    share: float | None
    alpha: float | None


class VoterAgreement(BaseModel):
    """One annotator, or one column of imported labels, beside all others."""

    user_id: int | None
    name: str
    votes: int
    in_ood: Agreement
    classes: Agreement


class AgreementOut(BaseModel):
    """Whether it is in-distribution, and of two class verdicts whether it is the same class."""

    examples: int
    in_ood: Agreement
    classes: Agreement
    voters: list[VoterAgreement]
