"""What also lands in a mailbox, and is no ticket: the out-of-distribution texts of the demo."""

import re
from collections.abc import Callable
from random import Random
from typing import Final

_FOODS: Final = (
    "leeks", "red lentils", "butternut squash", "chickpeas", "salmon", "spinach", "mushrooms",
    "aubergines", "potatoes", "pears", "plums", "ricotta", "black beans", "fennel", "rhubarb",
)  # fmt: skip
_DISHES: Final = ("soup", "pie", "curry", "salad", "risotto", "stew", "gratin", "crumble", "pasta")
_STEPS: Final = (
    "Chop the {food} and one onion finely.",
    "Heat two spoons of oil in a wide pan.",
    "Fry everything for {n} minutes until it is golden.",
    "Pour in {n}00 ml of stock and let it simmer.",
    "Season with salt, pepper and a pinch of nutmeg.",
    "Bake at {n}0 degrees for half an hour.",
    "Stir in the {other} at the end.",
    "Sprinkle with parsley and serve with bread.",
    "Leave the dough to rest for {n} minutes.",
    "Grate the zest of a lemon over it.",
    "Serves {n}.",
)
_NATURE: Final = (
    "river", "snow", "harbour", "willow", "moon", "heron", "meadow", "thunder", "lantern",
    "orchard", "sea", "dust", "starling", "winter", "salt", "evening",
)  # fmt: skip
_LINES: Final = (
    "The {a} keeps what the {b} forgot",
    "O {a}, you were never mine to hold",
    "and softly, softly, falls the {a}",
    "between the {a} and the {b} I stood",
    "Who counts the {a} counts slowly",
    "a {a} without a {b}, a door ajar",
    "We spoke of {a}, and meant the {b}",
    "Let the {a} come; the {b} will stay",
    "and every {a} was once a {b}",
    "grey {a}, green {a}, {a} of my youth",
    "No {b} has wept as has the {a}",
)
_VOWEL: Final = re.compile(r"\b([Aa]) ([aeiou])")
_MODULES: Final = ("scheduler", "ingest", "http", "db.pool", "cache", "mailer", "auth", "worker-3")
_EVENTS: Final = (
    "connection to 10.0.{n}.{m} reset by peer",
    "GET /v2/items/{m} 200 in {n} ms",
    "retrying in {n} s (attempt {m})",
    "checkpoint complete: wrote {m} buffers",
    "slow query: {m} ms",
    "evicted {m} keys",
    "job {m} finished with status {n}",
    "heap at {n} %, collecting",
    "Traceback (most recent call last): KeyError: 'user_{m}'",
    "listening on port {m}",
)
_FOREIGN: Final = (
    ("Guten Tag,", "die Sitzung des Vereins beginnt am {n}. Mai um {hour} Uhr.",
     "Bitte bringt eure Unterlagen mit.", "Der Wetterbericht verspricht Regen für das Wochenende.",
     "Unsere Wanderung führt diesmal durch das Moor."),
    ("Bonjour,", "la bibliothèque sera fermée le {n} juin.", "Le concert commence à {hour} heures.",
     "Nous cherchons encore deux bénévoles pour la fête du village.",
     "Le jardin est ouvert au public tous les dimanches."),
    ("Hola,", "el mercado abre a las {hour} de la mañana.", "Quedamos el {n} de julio en la plaza.",
     "La lluvia no ha parado en toda la semana.", "El equipo ganó por {n} goles."),
    ("안녕하세요.", "이번 모임은 {n}일 {hour}시에 열립니다.", "비가 오면 다음 주로 미루겠습니다.",
     "도서관은 월요일에 쉽니다.", "참석하실 분은 이름을 적어 주세요."),
    ("Buongiorno,", "il corso di pittura ricomincia il {n} settembre.",
     "La strada per il lago è chiusa fino alle {hour}.", "Abbiamo raccolto {n} chili di olive.",
     "Chi vuole può portare un dolce."),
)  # fmt: skip
_FIELDS: Final = (
    "accounting", "carpentry", "data engineering", "nursing", "marketing", "logistics",
    "translation", "landscape design", "teaching", "law",
)  # fmt: skip
_APPLICATION: Final = (
    "With great interest I read your advertisement for a position in {field}.",
    "I have worked in {field} for {n} years, most recently in {city}.",
    "My degree is from the university of {city}, with distinction.",
    "I speak {few} languages and like to work in teams.",
    "I would be available from the {n}th of next month.",
    "Please find my CV and references enclosed.",
    "My salary expectation is {m},000 a year.",
    "I would be glad to introduce myself in person.",
)
_CITIES: Final = ("Leeds", "Turin", "Gdansk", "Lyon", "Bergen", "Porto", "Daegu", "Graz", "Cork")
_OFFERS: Final = (
    "LAST CHANCE: {n}0 % off all garden furniture until Sunday!",
    "Our webinar on growth hacking starts in {n} hours, reserve your seat now.",
    "You have been selected for an exclusive trial of {m} coins.",
    "Boost your search ranking with {m} backlinks for one low fee.",
    "This week in our newsletter: {n} trends in kitchen design that you should know.",
    "Meet singles over {n}0 near {city}!",
    "Congratulations, ticket {m} has won the second prize of our lottery.",
    "Earn {m} a day from home, no experience needed.",
    "Read how a small bakery in {city} doubled its sales in {n} weeks.",
    "Click here to claim your bonus before midnight.",
    "Follow us for more inspiration, or tell a friend.",
)


def _numbers(random: Random) -> dict[str, int]:
    return {
        "n": random.randint(2, 19),
        "m": random.randint(20, 999),
        "hour": random.randint(7, 11),
        "few": random.randint(2, 5),
    }


def _some(random: Random, lines: tuple[str, ...], least: int, most: int) -> list[str]:
    return random.sample(lines, random.randint(least, most))


def _recipe(random: Random) -> str:
    food, other = random.sample(_FOODS, 2)
    title = f"{food.capitalize()} {random.choice(_DISHES)} with {other}"
    steps = [
        one.format(food=food, other=other, **_numbers(random))
        for one in _some(random, _STEPS, 3, 7)
    ]
    mark = random.choice(("\n", "\n- ", " "))
    return f"{title}\n{mark.lstrip(chr(10))}{mark.join(steps)}"


def _poem(random: Random) -> str:
    lines = []
    for line in _some(random, _LINES, 3, 7):
        a, b = random.sample(_NATURE, 2)
        lines.append(_VOWEL.sub(r"\1n \2", line.format(a=a, b=b)))
    return random.choice(("\n", ",\n")).join(lines)


def _log(random: Random) -> str:
    day, hour, lines = random.randint(1, 28), random.randint(0, 23), []
    for minute in sorted(random.sample(range(60), random.randint(2, 6))):
        level = random.choice(("INFO", "WARN", "ERROR", "DEBUG"))
        event = random.choice(_EVENTS).format(**_numbers(random))
        lines.append(
            f"2026-03-{day:02d}T{hour:02d}:{minute:02d}:"
            f"{random.randint(0, 59):02d}Z {level:5} [{random.choice(_MODULES)}] {event}"
        )
    return "\n".join(lines)


def _foreign(random: Random) -> str:
    greeting, *sentences = random.choice(_FOREIGN)
    said = [one.format(**_numbers(random)) for one in _some(random, tuple(sentences), 2, 4)]
    return " ".join([greeting, *said])


def _application(random: Random) -> str:
    values = {"field": random.choice(_FIELDS), "city": random.choice(_CITIES)}
    said = [one.format(**values, **_numbers(random)) for one in _some(random, _APPLICATION, 3, 6)]
    return " ".join(["Dear hiring team,", *said])


def _offer(random: Random) -> str:
    city = random.choice(_CITIES)
    said = [one.format(city=city, **_numbers(random)) for one in _some(random, _OFFERS, 2, 4)]
    return random.choice((" ", "\n")).join(said)


KINDS: Final[tuple[Callable[[Random], str], ...]] = (
    _recipe,
    _poem,
    _log,
    _foreign,
    _application,
    _offer,
)
"""What makes a text of each kind."""
