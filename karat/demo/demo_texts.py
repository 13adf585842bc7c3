"""A mailbox for the demo: tickets of four topics among much else, composed of many pieces.

No collection of texts of a free licence comes with what Karat needs, and the demo downloads none.
"""

from random import Random
from typing import Final

from karat.demo.demo_pool import DemoPool, pool_of
from karat.demo.strays import KINDS
from karat.demo.tickets import ASIDES, CLOSINGS, GREETINGS, TOPICS

SIZE: Final = 2000
_IN_SHARE: Final = 0.4
_EVALUATION: Final = 400
_NAMES: Final = (
    "Ada", "Bilal", "Chloe", "Daniel", "Eun-ji", "Fatima", "Goran", "Hana", "Ivan", "Jonas", "Kemi",
    "Lucia", "Marek", "Nadia", "Oskar", "Priya", "Ruth", "Seo-yeon", "Tomas", "Yusuf",
)  # fmt: skip
_PRODUCTS: Final = (
    "headphones", "coffee machine", "smart watch", "desk lamp", "backpack", "tablet", "speaker",
    "rice cooker", "keyboard", "camera", "vacuum robot", "bike light", "router", "printer",
)  # fmt: skip
_CITIES: Final = ("Leeds", "Busan", "Vienna", "Lagos", "Malmö", "Boston", "Pune", "Lisbon", "Perth")
_WEEKDAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
_MONTHS: Final = ("January", "March", "April", "June", "July", "September", "November")


def mailbox(seed: int) -> DemoPool:
    """Tickets about billing, shipping, technical matters and accounts, and what is none.

    Args:
        seed: Decides the pool. The texts to evaluate on are the same for every seed.

    Returns:
        The pool, of texts.
    """
    fixed = Random("evaluation")
    topics = tuple(TOPICS)
    seen: set[str] = set()
    held_out = [
        (_unseen(fixed, seen, topics[number % len(topics)]), topics[number % len(topics)])
        for number in range(_EVALUATION)
    ]
    random = Random(seed)
    inside = round(SIZE * _IN_SHARE)
    shown: list[tuple[bytes, str | None]] = []
    for number in range(SIZE):
        topic = topics[number % len(topics)] if number < inside else None
        shown.append((_unseen(random, seen, topic), topic))
    random.shuffle(shown)
    return pool_of("Support mailbox", topics, shown, held_out, "txt", medium="text")


def _unseen(random: Random, seen: set[str], topic: str | None) -> bytes:
    """A text that was not made before, as an import keeps the same text once."""
    while True:
        text = random.choice(KINDS)(random) if topic is None else _ticket(random, topic)
        if text not in seen:
            seen.add(text)
            return text.encode()


def _ticket(random: Random, topic: str) -> str:
    """What a customer writes: the problem, and around it what people add or leave out."""
    pieces = TOPICS[topic]
    middle = [*random.sample(pieces.details, random.randint(0, 2))]
    if random.random() < 0.5:
        middle.append(random.choice(ASIDES))
    random.shuffle(middle)
    said = [random.choice(pieces.problems), *middle]
    if random.random() < 0.6:
        said.append(random.choice(pieces.wishes))
    if random.random() < 0.15:
        # Some begin with what they want.
        said.insert(0, said.pop())
    body = " ".join(said)
    before = random.choice(GREETINGS) if random.random() < 0.6 else ""
    after = random.choice(CLOSINGS) if random.random() < 0.5 else ""
    gap = random.choice((" ", "\n", "\n\n"))
    text = gap.join(filter(None, (before, body, after))).format(**_values(random))
    return _written(random, text)


def _values(random: Random) -> dict[str, str]:
    product, other = random.sample(_PRODUCTS, 2)
    name = random.choice(_NAMES)
    return {
        "order": f"#{random.randint(10_000, 99_999)}",
        "amount": f"{random.randint(3, 300)}.{random.choice(('00', '50', '90', '99'))} €",
        "other_amount": f"{random.randint(3, 300)}.{random.choice(('00', '49', '95'))} €",
        "code": f"{random.choice('ABCDEFGH')}{random.randint(1000, 9999)}-{random.randint(10, 99)}",
        "error": f"E-{random.randint(100, 999)}",
        "version": f"{random.randint(1, 9)}.{random.randint(0, 20)}",
        "date": f"{random.choice(_MONTHS)} {random.randint(1, 28)}",
        "days": str(random.randint(2, 14)),
        "weekday": random.choice(_WEEKDAYS),
        "city": random.choice(_CITIES),
        "product": product,
        "other_product": other,
        "name": name,
        "email": f"{name.lower()}.{random.randint(1, 99)}@example.org",
    }


def _written(random: Random, text: str) -> str:
    """The text as somebody types it: without capitals, loudly, or with letters swapped."""
    style = random.random()
    if style < 0.15:
        return text.lower()
    if style < 0.18:
        return text.upper()
    if style < 0.4:
        at = random.randrange(1, len(text) - 2)
        if text[at].isalpha() and text[at + 1].isalpha():
            return f"{text[:at]}{text[at + 1]}{text[at]}{text[at + 2 :]}"
    return text
