"""Short texts of a mailbox: what a shop is written about its bills and parcels, and what else."""

from random import Random
from typing import Final

import numpy as np
from numpy.typing import NDArray

CLASSES: Final = ("billing", "shipping")
_THINGS: Final = ("lamp", "backpack", "camera", "kettle", "keyboard", "jacket", "router", "tent")
_SENTENCES: Final = {
    0: (
        "I was charged twice for the {thing} on invoice {number}.",
        "The bill of {number} euros is wrong, please send a corrected one.",
        "My card was debited {number} euros although I paid for the {thing} in cash.",
        "When will the {number} euros for the {thing} be refunded to my bank account?",
        "The discount on the {thing} is missing on invoice {number}.",
    ),
    1: (
        "The parcel with the {thing} has not arrived after {number} days.",
        "Tracking number {number} says delivered, but there is no {thing} on my doorstep.",
        "The courier left the {thing} with a neighbour at number {number}.",
        "Please deliver the {thing} to another address, house number {number}.",
        "My package was damaged in transit, the box of the {thing} is torn, order {number}.",
    ),
    -1: (
        "Fry the onions for {number} minutes and stir in the cream.",
        "Kim scored {number} points, and the home team won the final of the season.",
        "Old trees keep {number} winters in their rings, the poet wrote.",
        "Rain and wind up to {number} km/h are expected in the north tonight.",
        "The orchestra played {number} pieces by Haydn before the interval.",
    ),
}


def mailbox(count: int, seed: int = 0) -> tuple[list[str], NDArray[np.int64]]:
    """So many different texts, and what each is: a class by its number, or -1, a third of them."""
    random = Random(seed)
    kinds = [(number % 3) - 1 for number in range(count)]
    random.shuffle(kinds)
    texts: dict[str, None] = {}
    for kind in kinds:
        before = len(texts)
        while len(texts) == before:
            sentence = random.choice(_SENTENCES[kind])
            texts[sentence.format(thing=random.choice(_THINGS), number=random.randint(2, 9999))] = (
                None
            )
    return list(texts), np.array(kinds, dtype=np.int64)
