"""Jobs that are started by hand; the name is the kind of the job."""

from models.params.contrastive import ContrastiveParams
from models.spec import THESIS, Spec

JOBS = (
    Spec(
        name="learn_features",
        kind="job",
        title="Learn features",
        summary="Learns features of the whole pool contrastively, once, for the scores that need "
        "them; hours on a GPU.",
        target="models.contrastive:learn_encoder",
        params=ContrastiveParams,
        paper="J. Tack et al., CSI: Novelty Detection via Contrastive Learning on Distributionally "
        f"Shifted Instances, NeurIPS 2020; {THESIS}, section 4.4",
    ),
)
