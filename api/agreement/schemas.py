from pydantic import BaseModel


class Agreement(BaseModel):
    """How far verdicts on the same images agree.

    `share` is that of pairs of verdicts which are the same; `alpha` is Krippendorff's, 1 for full
    agreement and 0 for that of chance. Both are null where there is no pair.
    """

    pairs: int
    share: float | None
    alpha: float | None


class ProposalFates(BaseModel):
    """What somebody made of what models proposed to them.

    `proposals` were shown in `answers`; each was `kept` as it was, `adjusted` or `rejected`. `iou`
    is the mean overlap, 0 to 1, of those that were adjusted with what became of them, null where
    none was. `seconds_per_box` is the median over answers with boxes, drawn and kept ones alike.
    Of those proposals that were put beside where they belong `shifted` were shown, and
    `shifted_kept` were kept so.
    """

    answers: int
    proposals: int
    kept: int
    adjusted: int
    rejected: int
    iou: float | None
    seconds_per_box: float | None
    shifted: int
    shifted_kept: int


class VoterAgreement(BaseModel):
    """One annotator, or one column of imported labels, beside all others.

    `proposals` is null where labels are no boxes, and of columns.
    """

    user_id: int | None
    name: str
    votes: int
    in_ood: Agreement
    classes: Agreement
    proposals: ProposalFates | None


class ProposerAgreement(BaseModel):
    """What annotators made of what one model proposed; of `model` null it is Karat's own.

    In `answers` it had proposed something. Of classes `agreed` says how many of these answers are
    of the class that it proposed; reviews are left out. Of boxes `proposals` has the sums.
    """

    model: str | None
    answers: int
    agreed: int | None
    proposals: ProposalFates | None


class AgreementOut(BaseModel):
    """Whether it is in-distribution, and of two class verdicts whether it is the same class.

    `models` are those that proposed something, but for classes that Karat's own predict.
    """

    examples: int
    in_ood: Agreement
    classes: Agreement
    voters: list[VoterAgreement]
    models: list[ProposerAgreement]
