"""Facts and sentences that the instruction rows of the demo are made of."""

from typing import Final, NamedTuple


class Fact(NamedTuple):
    """A question with answers of three kinds.

    Attributes:
        asked: The same question in several ways.
        full: A right answer that helps.
        bare: A right answer, and no more.
        wrong: Answers that are made up, or wrong.
    """

    asked: tuple[str, ...]
    full: str
    bare: str
    wrong: tuple[str, ...]


CAPITALS: Final = (
    ("Australia", "Canberra", "Sydney"), ("Canada", "Ottawa", "Toronto"),
    ("Brazil", "Brasília", "Rio de Janeiro"), ("Turkey", "Ankara", "Istanbul"),
    ("Switzerland", "Bern", "Zurich"), ("Morocco", "Rabat", "Casablanca"),
    ("Vietnam", "Hanoi", "Ho Chi Minh City"), ("Nigeria", "Abuja", "Lagos"),
    ("New Zealand", "Wellington", "Auckland"), ("Kazakhstan", "Astana", "Almaty"),
    ("Ecuador", "Quito", "Guayaquil"), ("Pakistan", "Islamabad", "Karachi"),
)  # fmt: skip

UNITS: Final = (
    ("kilometres", "miles", 0.621371), ("kilograms", "pounds", 2.20462),
    ("inches", "centimetres", 2.54), ("litres", "US gallons", 0.264172),
    ("feet", "metres", 0.3048), ("ounces", "grams", 28.3495),
)  # fmt: skip

WORDS: Final = (
    ("pear", "apple", "melon", "cherry", "fig"), ("violin", "cello", "flute", "oboe", "harp"),
    ("Nile", "Amazon", "Danube", "Volga", "Mekong"), ("oak", "birch", "maple", "cedar", "willow"),
    ("copper", "zinc", "gold", "iron", "tin"), ("otter", "heron", "badger", "lynx", "mole"),
)  # fmt: skip

GRAMMAR: Final = (
    ("She go to the market every days.", "She goes to the market every day.",
     "the verb needs an s after she, and every takes the singular"),
    ("Me and him has finished the report.", "He and I have finished the report.",
     "the subject takes he and I, and two people have"),
    ("There is less people here than yesterday.", "There are fewer people here than yesterday.",
     "people can be counted, so it is fewer, and the verb is plural"),
    ("I didn't saw nothing.", "I didn't see anything.",
     "after didn't comes the plain verb, and two negatives cancel"),
    ("The informations was helpful.", "The information was helpful.",
     "information has no plural"),
    ("If I would have time, I would help you.", "If I had time, I would help you.",
     "the clause with if takes the past tense"),
    ("He is more taller than his brother.", "He is taller than his brother.",
     "taller is a comparative already"),
    ("Each of the players have a number.", "Each of the players has a number.",
     "each is singular"),
)  # fmt: skip

POLITE: Final = (
    ("Send me the file now.", "Could you please send me the file when you have a moment?"),
    ("Your report is too long.", "Could the report be shortened a little? It is rather long."),
    ("You forgot the attachment.", "I could not find the attachment; could you send it again?"),
    ("I won't come to the meeting.", "I am afraid I cannot make it to the meeting."),
    ("Stop calling me.", "I would be grateful if you could write to me instead of calling."),
    ("That idea is bad.", "I see some difficulties with that idea; may I explain them?"),
    ("Pay the invoice.", "May I remind you of the invoice, which is still open?"),
    ("You are wrong about the date.", "I think the date may be a different one; could you check?"),
)  # fmt: skip

CODE: Final = (
    ("returns the largest of a list of numbers, or None if it is empty",
     "def largest(numbers):\n    return max(numbers, default=None)",
     "def largest(numbers):\n    return sorted(numbers)[0]"),
    ("says whether a word is a palindrome, whatever its case",
     "def is_palindrome(word):\n    word = word.lower()\n    return word == word[::-1]",
     "def is_palindrome(word):\n    return word == word.reverse()"),
    ("counts how often each letter is in a text",
     "from collections import Counter\n\ndef letters(text):\n    return Counter(text)",
     "def letters(text):\n    return {letter: 1 for letter in text}"),
    ("removes doubles from a list and keeps the order",
     "def without_doubles(items):\n    return list(dict.fromkeys(items))",
     "def without_doubles(items):\n    return items.unique()"),
    ("turns degrees Celsius into Fahrenheit",
     "def fahrenheit(celsius):\n    return celsius * 9 / 5 + 32",
     "def fahrenheit(celsius):\n    return celsius * 5 / 9 + 32"),
    ("says whether a year is a leap year",
     "def is_leap(year):\n    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)",
     "def is_leap(year):\n    return year % 4 == 0 or year % 100 == 0"),
    ("flattens a list of lists",
     "def flat(lists):\n    return [item for one in lists for item in one]",
     "def flat(lists):\n    return lists.flatten(depth=1)"),
)  # fmt: skip

EXPLAINED: Final = (
    Fact(
        ("Why is the sky blue?", "Explain why the sky looks blue.", "What makes the sky blue?"),
        "Sunlight holds all colours. The molecules of the air scatter short waves, blue ones, far "
        "more than long ones, so that blue reaches us from everywhere.",
        "Because air scatters blue light more than red.",
        ("The sky mirrors the colour of the oceans.", "Ozone is a blue gas, and colours the air."),
    ),
    Fact(
        ("What causes the seasons?", "Why is it warmer in summer than in winter?"),
        "The axis of the earth is tilted. In summer our half leans towards the sun, which stands "
        "higher and shines longer; in winter it leans away.",
        "The tilt of the earth's axis.",
        ("In summer the earth is closer to the sun.", "The sun burns hotter in summer."),
    ),
    Fact(
        ("How do vaccines work?", "Explain to a child how a vaccine works."),
        "A vaccine shows the body a harmless part of a germ. The body learns to recognise it, and "
        "remembers: when the real germ comes, it is fought at once.",
        "They train the immune system on a harmless part of a germ.",
        ("A vaccine kills all germs that are in the body.", "It thins the blood so germs drown."),
    ),
    Fact(
        ("Why does ice float on water?", "Explain why ice swims."),
        "Water expands as it freezes: its molecules form an open lattice. Ice is therefore about "
        "9 % less dense than liquid water, and floats.",
        "Ice is less dense than water.",
        ("Ice holds air that was blown into it by the frost.", "Cold things are always lighter."),
    ),
    Fact(
        ("What does photosynthesis do?", "Explain photosynthesis in two sentences."),
        "Plants use light to turn water and carbon dioxide into sugar, which feeds them. Oxygen is "
        "left over, and goes into the air.",
        "It makes sugar and oxygen from light, water and carbon dioxide.",
        (
            "Plants breathe in oxygen and eat it in the light.",
            "It turns soil into leaves at night.",
        ),
    ),
    Fact(
        ("What is inflation?", "Explain inflation to somebody who has never heard of it."),
        "Inflation means that prices rise on the whole, so that the same money buys less. If bread "
        "cost 2 last year and costs 2.10 now, its price rose by 5 %.",
        "A general rise of prices.",
        ("Inflation is when shares grow in number.", "It is the tax that banks take on savings."),
    ),
    Fact(
        ("How do magnets work?", "Why does iron stick to a magnet?"),
        "In a magnet the tiny fields of very many atoms point the same way and add up. Near it "
        "those of iron line up with them, so that iron is pulled.",
        "The fields of its atoms point the same way, and line up those of iron.",
        ("Magnets hold static electricity that glues iron.", "Iron is attracted by its rust."),
    ),
    Fact(
        ("Why do we have leap years?", "What is a leap day for?"),
        "The earth takes about 365.2422 days around the sun. A day more nearly every four years "
        "keeps the calendar from drifting through the seasons.",
        "Because a year is about a quarter of a day longer than 365 days.",
        ("The moon loses a day every four years.", "Clocks run too fast, and are put back a day."),
    ),
)
