"""Data pruning: which part of a labeled set to keep."""

from models.catalog.params.pruning import (
    CcsParams,
    DualParams,
    ForgettingParams,
    Prune4RelParams,
    SspParams,
)
from models.catalog.spec import THESIS, Spec

NEIGHBOURS = frozenset({"embeddings", "logits"})
PRUNE4REL = (
    f"{THESIS}, chapter 5; D. Park et al., Robust Data Pruning under Label Noise via Maximizing "
    "Re-labeling Accuracy, NeurIPS 2023"
)

PRUNING = (
    Spec(
        name="prune4rel",
        kind="pruning",
        title="Prune4ReL",
        summary="Keeps sure examples whose neighbourhood no kept example covers yet, so that "
        "wrong labels can be corrected from what is kept.",
        target="models.pruning.prune4rel:prune",
        params=Prune4RelParams,
        paper=PRUNE4REL,
        needs=NEIGHBOURS,
    ),
    Spec(
        name="prune4rel_balanced",
        kind="pruning",
        title="Prune4ReL, balanced",
        summary="The same with an equal share for each noisy label; the usual choice.",
        target="models.pruning.prune4rel_balanced:prune",
        params=Prune4RelParams,
        paper=PRUNE4REL,
        needs=NEIGHBOURS,
    ),
    Spec(
        name="prune4rel_greedy",
        kind="pruning",
        title="Prune4ReL, true greedy",
        summary="Counts what a kept example does for all its neighbours, and says how close to the "
        "optimum the subset certainly is.",
        target="models.pruning.prune4rel_greedy:prune",
        params=Prune4RelParams,
        paper=PRUNE4REL,
        needs=NEIGHBOURS,
    ),
    Spec(
        name="uniform",
        kind="pruning",
        title="Uniform",
        summary="A random subset: the reference that every method has to beat.",
        target="models.pruning.uniform:prune",
    ),
    Spec(
        name="small_loss",
        kind="pruning",
        title="Small loss",
        summary="Keeps what is likely labeled right, and little that is informative.",
        target="models.pruning.small_loss:prune",
        paper="L. Jiang et al., MentorNet: Learning Data-Driven Curriculum for Very Deep Neural "
        "Networks on Corrupted Labels, ICML 2018",
        needs=frozenset({"losses"}),
    ),
    Spec(
        name="margin",
        kind="pruning",
        title="Margin",
        summary="Keeps what the warm-up model is unsure of; for clean labels.",
        target="models.pruning.margin:prune",
        paper="C. Coleman et al., Selection via Proxy: Efficient Data Selection for Deep Learning, "
        "ICLR 2020",
        needs=frozenset({"plain_logits"}),
    ),
    Spec(
        name="k_center",
        kind="pruning",
        title="k-center greedy",
        summary="Covers the set evenly, outliers first.",
        target="models.pruning.k_center:prune",
        paper="O. Sener, S. Savarese, Active Learning for Convolutional Neural Networks: A "
        "Core-Set Approach, ICLR 2018",
        needs=frozenset({"plain_embeddings"}),
    ),
    Spec(
        name="forgetting",
        kind="pruning",
        title="Forgetting",
        summary="Keeps what the warm-up learned and forgot again; for clean labels.",
        target="models.pruning.forgetting:prune",
        params=ForgettingParams,
        paper="M. Toneva et al., An Empirical Study of Example Forgetting during Deep Neural "
        "Network Learning, ICLR 2019",
        needs=frozenset({"correct"}),
    ),
    Spec(
        name="grand",
        kind="pruning",
        title="GraNd",
        summary="Keeps what moves the model most, averaged over warm-ups; for clean labels.",
        target="models.pruning.grand:prune",
        paper="M. Paul, S. Ganguli, G. K. Dziugaite, Deep Learning on a Data Diet: Finding "
        "Important Examples Early in Training, NeurIPS 2021",
        needs=frozenset({"gradient_norms"}),
    ),
    Spec(
        name="ssp",
        kind="pruning",
        title="Self-supervised prototypes",
        summary="Keeps typical examples by features that were learned without labels.",
        target="models.pruning.ssp:prune",
        params=SspParams,
        paper="B. Sorscher et al., Beyond Neural Scaling Laws: Beating Power Law Scaling via Data "
        "Pruning, NeurIPS 2022",
        needs=frozenset({"self_supervised"}),
    ),
    Spec(
        name="moderate",
        kind="pruning",
        title="Moderate",
        summary="Keeps what is neither typical nor unusual for its noisy class.",
        target="models.pruning.moderate:prune",
        paper="X. Xia et al., Moderate Coreset: A Universal Method of Data Selection for "
        "Real-world Data-efficient Deep Learning, ICLR 2023",
        needs=frozenset({"plain_embeddings"}),
    ),
    Spec(
        name="dual",
        kind="pruning",
        title="DUAL",
        summary="Draws what the warm-up finds difficult and is unsure of, easier ones where few "
        "are kept.",
        target="models.pruning.dual:prune",
        params=DualParams,
        paper="Y. Cho et al., Lightweight Dataset Pruning without Full Training via Example "
        "Difficulty and Prediction Uncertainty, ICML 2025",
        needs=frozenset({"label_probabilities"}),
    ),
    Spec(
        name="ccs",
        kind="pruning",
        title="Coverage-centric",
        summary="Keeps examples of every difficulty, but none whose label the warm-up does not "
        "believe.",
        target="models.pruning.ccs:prune",
        params=CcsParams,
        paper="H. Zheng et al., Coverage-centric Coreset Selection for High Pruning Rates, ICLR "
        "2023",
        needs=frozenset({"margins"}),
    ),
)
