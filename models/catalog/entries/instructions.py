"""Instruction data: which few rows are worth tuning on."""

from models.catalog.params.instructions import (
    ClusterParams,
    FpInstructionParams,
    SampleScoresParams,
    SizeParams,
)
from models.catalog.spec import INSTRUCTIONS, TEXTS, THESIS, Spec

INSTRUCTION_SELECTION = (
    Spec(
        name="fp_instruction",
        kind="instruction_selection",
        title="FP-Instruction",
        summary="Clusters rows that say nearly the same, lets a judge rank each cluster, and keeps "
        "its best row; people decide where the judge is unsure.",
        target="models.tasks.instructions.fp_instruction:choose",
        params=FpInstructionParams,
        paper=f"{THESIS}, chapter 6",
        needs=frozenset({"clusters", "rankings"}),
        tasks=INSTRUCTIONS,
        media=TEXTS,
    ),
    Spec(
        name="sample_scores",
        kind="instruction_selection",
        title="Scores of single rows",
        summary="Lets a judge score every row from 0 to 5 by itself, and keeps the best: ten times "
        "the requests, and many equal scores.",
        target="models.tasks.instructions.entries:sample_scores",
        params=SampleScoresParams,
        paper="L. Chen et al., AlpaGasus: Training a Better Alpaca with Fewer Data, ICLR 2024",
        needs=frozenset({"scores"}),
        tasks=INSTRUCTIONS,
        media=TEXTS,
    ),
    Spec(
        name="max_cover",
        kind="instruction_selection",
        title="Cover",
        summary="Keeps rows that lie far from each other, outliers first; asks no judge.",
        target="models.tasks.instructions.entries:max_cover",
        params=SizeParams,
        paper="O. Sener, S. Savarese, Active Learning for Convolutional Neural Networks: A "
        "Core-Set Approach, ICLR 2018",
        needs=frozenset({"embeddings"}),
        tasks=INSTRUCTIONS,
        media=TEXTS,
    ),
    Spec(
        name="random",
        kind="instruction_selection",
        title="Random rows",
        summary="Keeps rows that are drawn: the reference that every other way has to beat.",
        target="models.tasks.instructions.entries:random",
        params=SizeParams,
        tasks=INSTRUCTIONS,
        media=TEXTS,
    ),
    Spec(
        name="longest",
        kind="instruction_selection",
        title="Longest responses",
        summary="Keeps the rows with the longest responses: asks no judge, and is hard to beat.",
        target="models.tasks.instructions.entries:longest",
        params=SizeParams,
        paper="T. Xia et al., Rethinking Data Selection at Scale: Random Selection is Almost All "
        "You Need, 2024",
        needs=frozenset({"lengths"}),
        tasks=INSTRUCTIONS,
        media=TEXTS,
    ),
    Spec(
        name="k_means_random",
        kind="instruction_selection",
        title="A random row of each cluster",
        summary="Clusters rows that say nearly the same and draws one of each cluster; asks no "
        "judge.",
        target="models.tasks.instructions.entries:k_means_random",
        params=ClusterParams,
        needs=frozenset({"clusters"}),
        tasks=INSTRUCTIONS,
        media=TEXTS,
    ),
)
