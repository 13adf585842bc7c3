"""A pool of texts for the browser, made by the Python client."""

import json
from pathlib import Path
from typing import Any, Final

from karat import Client
from karat.client.project import ProjectClient
from tests.processes import eventually

CLASSES: Final = ("Billing", "Delivery", "Returns")

HEBREW: Final = (
    "שלום, ההזמנה שלי (מספר 4711) הגיעה פתוחה, ואחד הספרים חסר.\n"
    "אפשר לשלוח אותו שוב, או להחזיר לי את הכסף?\nתודה, נועה"  # noqa: RUF001
)
CODE: Final = (
    "def total(rows):\n    amount = 0\n    for row in rows:\n        amount += row.price\n"
    "    return amount\n\nprint(total(cart))"
)
LONG: Final = "I write because of the order of last month.\n\n" + "\n\n".join(
    f"{number}. On day {number} I called again. The lady at the other end was kind, and told me "
    "that the parcel had been seen in the depot at the harbour, where nobody could say which of "
    "the vans would take it. I was to wait for one more day, and to call again if it had not come "
    "by then; and so I did."
    for number in range(1, 26)
)
_SUBJECTS: Final = (
    ("Billing", "The invoice of {month} was charged twice. Please refund one of them."),
    ("Billing", "Why does my card show 39.90 when the plan is 29.90? I never ordered the extras."),
    (
        "Billing",
        "Please send the invoice of {month} with our VAT number on it; we need it by Friday.",
    ),
    ("Delivery", "Where is my parcel? Tracking has said “out for delivery” since {month}."),
    (
        "Delivery",
        "The courier left the box in the rain. It is soaked, and nobody had rung the bell.",
    ),
    ("Delivery", "Can you deliver to a locker instead? I am not at home until the end of {month}."),
    ("Returns", "The shoes are too small. How do I send them back, and who pays for that?"),
    (
        "Returns",
        "I returned the lamp in {month}, but have not heard anything since.\n\nRegards,\nJo",
    ),
    ("Returns", "It broke on the second day!! I want my money back, not a voucher…"),
    ("OOD", "Hello, we are a small agency from Lyon and would like to write about your shop."),
    ("OOD", "Do you have any open positions for working students in {month}?"),
    (
        "OOD",
        "asdf test test please ignore, see https://example.org/?a=b&c=<script>alert(1)</script>",
    ),
)
_MONTHS: Final = ("January", "February", "March", "April", "May", "June", "July", "August")


def tickets() -> list[tuple[str, str]]:
    """What each is, and its text: a hundred, no two alike, with a few that are hard to set."""
    usual = [
        (kind, f"{text.format(month=month)}\n\nOrder {number * 100 + index}")
        for number, month in enumerate(_MONTHS)
        for index, (kind, text) in enumerate(_SUBJECTS)
    ]
    return [("Delivery", LONG), ("Returns", HEBREW), ("OOD", CODE), *usual, ("OOD", "?")]


def text_project(karat: Client, name: str, folder: Path, **settings: Any) -> ProjectClient:
    """A running project of texts whose first round asks about all of them."""
    found = tickets()
    project = karat.create_project(
        name,
        list(CLASSES),
        medium="text",
        guidelines="What the writer wants. Adverts and applications are none of the classes.",
        settings={"budget": len(found), "strategy": {"name": "random"}, **settings},
    )
    table = folder / "tickets.jsonl"
    table.write_text("".join(json.dumps({"text": text}) + "\n" for _, text in found))
    karat.wait(project.import_images(table)["id"])
    project.start()
    eventually(lambda: project.rounds()[0]["state"] == "open", "the first round opens")
    return project
