"""In what order examples come, and which of their copies are meant."""

from typing import Literal

Sort = Literal[
    "pool_index",
    "purity",
    "-purity",
    "informativeness",
    "-informativeness",
    "meta_score",
    "-meta_score",
    "confidence",
    "-confidence",
    "similarity",
    "-similarity",
    "isolation",
    "-isolation",
]
Which = Literal["all", "leaking", "contradicting"]
