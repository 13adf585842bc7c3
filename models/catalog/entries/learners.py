"""Learners from noisy labels."""

from models.catalog.params.relabel import CeParams, DivideMixParams, SopPlusParams
from models.catalog.spec import Spec

LEARNERS = (
    Spec(
        name="sop_plus",
        kind="learner",
        title="SOP+",
        summary="Learns the noise of each label beside the network, so that the network need not; "
        "the usual choice.",
        target="models.relabeling.sop_plus:learn",
        params=SopPlusParams,
        paper="S. Liu et al., Robust Training under Label Noise by Over-parameterization, ICML "
        "2022",
    ),
    Spec(
        name="dividemix",
        kind="learner",
        title="DivideMix",
        summary="Two networks tell each other which labels to believe, and learn from the other "
        "images without theirs; takes several times as long.",
        target="models.relabeling.dividemix:learn",
        params=DivideMixParams,
        paper="J. Li, R. Socher, S. C. H. Hoi, DivideMix: Learning with Noisy Labels as "
        "Semi-supervised Learning, ICLR 2020",
    ),
    Spec(
        name="ce",
        kind="learner",
        title="Cross-entropy",
        summary="Believes every label: the reference that the others have to beat.",
        target="models.relabeling.ce:learn",
        params=CeParams,
    ),
)
