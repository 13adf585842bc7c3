"""Query strategies."""

from models.entries.informativeness import INFORMATIVENESS
from models.entries.selection import SELECTION
from models.params.strategies import EaoaParams, ExpectedValueParams, MQNetParams, NeatParams
from models.spec import THESIS, Spec

BOTH = frozenset({"purity", "informativeness"})

STRATEGIES = (
    Spec(
        name="mqnet",
        kind="strategy",
        group="both",
        title="MQ-Net",
        summary="Learns from the last answers how to balance purity against informativeness.",
        target="models.strategies.mqnet:rank",
        params=MQNetParams,
        paper=f"{THESIS}, chapter 4; D. Park et al., Meta-Query-Net, NeurIPS 2022",
        needs=BOTH,
    ),
    Spec(
        name="expected_value",
        kind="strategy",
        group="recommended",
        title="Expected value",
        summary="What an answer is expected to teach, per unit of what it is expected to cost, "
        "with the classes in balance.",
        target="models.strategies.expected_value:rank",
        params=ExpectedValueParams,
        paper="Ours",
        needs=BOTH,
    ),
    Spec(
        name="eaoa",
        kind="strategy",
        group="both",
        title="EAOA",
        summary="The most ambiguous of the purest, as strict as a wanted share of in-distribution "
        "answers demands.",
        target="models.strategies.eaoa:rank",
        params=EaoaParams,
        paper="C.-C. Zong, S.-J. Huang, Rethinking Epistemic and Aleatoric Uncertainty for Active "
        "Open-Set Annotation, CVPR 2025",
        needs=frozenset({"embeddings"}),
        fallback="random",
    ),
    Spec(
        name="neat",
        kind="strategy",
        group="both",
        title="NEAT",
        summary="Asks where the model contradicts the labels of in-distribution neighbours.",
        target="models.strategies.neat:rank",
        params=NeatParams,
        paper="R. Mao et al., Inconsistency-Based Data-Centric Active Open-Set Annotation, AAAI "
        "2024",
        needs=frozenset({"embeddings"}),
        fallback="random",
    ),
    Spec(
        name="p_plus_i",
        kind="strategy",
        group="both",
        title="Purity plus informativeness",
        summary="Adds the two normalised scores with equal weight.",
        target="models.strategies.p_plus_i:rank",
        paper=f"{THESIS}, section 4.3",
        needs=BOTH,
    ),
    Spec(
        name="p_times_i",
        kind="strategy",
        group="both",
        title="Purity times informativeness",
        summary="Multiplies the two normalised scores.",
        target="models.strategies.p_times_i:rank",
        paper=f"{THESIS}, section 4.4",
        needs=BOTH,
    ),
    Spec(
        name="most_likely",
        kind="strategy",
        group="both",
        title="Most likely first",
        summary="Asks about what most probably belongs to a class: to find all of them.",
        target="models.strategies.most_likely:rank",
        paper="D. Lewis, W. Gale, A Sequential Algorithm for Training Text Classifiers, SIGIR 1994",
        needs=BOTH,
    ),
    Spec(
        name="margin",
        kind="strategy",
        group="informativeness",
        title="Smallest margin",
        summary="Ignores purity; strong when the pool is clean.",
        target="models.strategies.margin:rank",
        paper=INFORMATIVENESS[1].paper,
    ),
    Spec(
        name="conf",
        kind="strategy",
        group="informativeness",
        title="Least confidence",
        summary="Ignores purity; a common baseline.",
        target="models.strategies.conf:rank",
        paper=INFORMATIVENESS[0].paper,
    ),
    Spec(
        name="entropy",
        kind="strategy",
        group="informativeness",
        title="Largest entropy",
        summary="Ignores purity; a common baseline.",
        target="models.strategies.entropy:rank",
        paper=INFORMATIVENESS[2].paper,
    ),
    Spec(
        name="ll",
        kind="strategy",
        group="informativeness",
        title="Largest predicted loss",
        summary="Ignores purity; a module of the model predicts how large a loss would be.",
        target="models.strategies.ll:rank",
        paper=INFORMATIVENESS[3].paper,
        needs=frozenset({"predicted_losses"}),
        fallback="margin",
    ),
    Spec(
        name="random",
        kind="strategy",
        group="baseline",
        title="Random",
        summary="Asks in random order: the reference that every strategy has to beat.",
        target="models.strategies.random:rank",
        paper="Uniform sampling",
    ),
    *SELECTION,
)
