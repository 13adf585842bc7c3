"""Query strategies that look at embeddings."""

from models.catalog.params.selection import (
    CcalParams,
    CoresetParams,
    DropQueryParams,
    ProbCoverParams,
    SimilarParams,
    TypiClustParams,
    UHerdingParams,
)
from models.catalog.spec import IMAGES, Spec

EMBEDDINGS = frozenset({"embeddings"})

SELECTION = (
    Spec(
        name="coreset",
        kind="strategy",
        group="diversity",
        title="Core-set",
        summary="Covers the pool evenly, whatever the model says; a common baseline.",
        target="models.strategies.coreset:rank",
        params=CoresetParams,
        paper="O. Sener, S. Savarese, Active Learning for Convolutional Neural Networks: A "
        "Core-Set Approach, ICLR 2018",
        needs=EMBEDDINGS,
    ),
    Spec(
        name="badge",
        kind="strategy",
        group="diversity",
        title="BADGE",
        summary="Draws examples that are uncertain and differ from each other; strong when the "
        "pool is clean.",
        target="models.strategies.badge:rank",
        paper="J. T. Ash et al., Deep Batch Active Learning by Diverse, Uncertain Gradient Lower "
        "Bounds, ICLR 2020",
        needs=EMBEDDINGS,
        fallback="coreset",
    ),
    Spec(
        name="similar",
        kind="strategy",
        group="both",
        title="SIMILAR",
        summary="Covers what resembles labeled classes and avoids what resembles OOD answers.",
        target="models.strategies.similar:rank",
        params=SimilarParams,
        paper="S. Kothawade et al., SIMILAR: Submodular Information Measures Based Active Learning "
        "In Realistic Scenarios, NeurIPS 2021",
        needs=EMBEDDINGS,
        fallback="coreset",
    ),
    Spec(
        name="ccal",
        kind="strategy",
        group="both",
        title="CCAL",
        summary="Asks for what resembles labeled classes but is new to them, by contrastive "
        "features.",
        target="models.strategies.ccal:rank",
        params=CcalParams,
        paper="P. Du et al., Contrastive Coding for Active Learning under Class Distribution "
        "Mismatch, ICCV 2021",
        needs=frozenset({"contrastive"}),
        media=IMAGES,
        fallback="p_plus_i",
    ),
    Spec(
        name="uherding",
        kind="strategy",
        group="diversity",
        title="Uncertainty herding",
        summary="Covers the uncertain part of a clean pool; suits small and large budgets alike.",
        target="models.strategies.uherding:rank",
        params=UHerdingParams,
        paper="W. Bae, G. L. Oliveira, D. J. Sutherland, Uncertainty Herding: One Active Learning "
        "Method for All Label Budgets, ICLR 2025",
        needs=EMBEDDINGS,
    ),
    Spec(
        name="typiclust",
        kind="strategy",
        group="diversity",
        title="TypiClust",
        summary="Asks for typical examples of new clusters; for the first rounds of a small "
        "budget.",
        target="models.strategies.typiclust:rank",
        params=TypiClustParams,
        paper="G. Hacohen, A. Dekel, D. Weinshall, Active Learning on a Budget: Opposite "
        "Strategies Suit High and Low Budgets, ICML 2022",
        needs=EMBEDDINGS,
    ),
    Spec(
        name="probcover",
        kind="strategy",
        group="diversity",
        title="ProbCover",
        summary="Covers dense parts of the pool first; for the first rounds of a small budget.",
        target="models.strategies.probcover:rank",
        params=ProbCoverParams,
        paper="O. Yehuda et al., Active Learning Through a Covering Lens, NeurIPS 2022",
        needs=EMBEDDINGS,
    ),
    Spec(
        name="dropquery",
        kind="strategy",
        group="diversity",
        title="DropQuery",
        summary="Asks where the class changes under dropout, one of each cluster; for features of "
        "large published networks.",
        target="models.strategies.dropquery:rank",
        params=DropQueryParams,
        paper="S. R. Gupte et al., Revisiting Active Learning in the Era of Vision Foundation "
        "Models, TMLR 2024",
        needs=EMBEDDINGS,
        fallback="coreset",
    ),
)
