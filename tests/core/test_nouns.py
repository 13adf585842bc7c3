"""What is written of images can be said of texts: every sentence of the code."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.media.nouns import in_words_of, result_in_words_of
from core.states import Medium

ROOT = Path(__file__).resolve().parents[2]
_QUOTED = re.compile(r"""(?<!\w)'[^']*'(?!\w)|"[^"]*"|`[^`]*`""")
# Not a part of a name, such as images/ or image_column.
_SPOKEN = re.compile(r"(?:^|[ (])(?:image|picture)s?(?=[ ,;:)]|[.](?!\w)|$)", re.IGNORECASE)
_IMAGE = re.compile(r"\b(?:image|picture)s?\b", re.IGNORECASE)


def _sentences() -> Iterator[str]:
    """What people may read: strings of several words that end as sentences do."""
    for folder in ("api", "core", "models", "workers"):
        for path in (ROOT / folder).rglob("*.py"):
            written = path.read_text()
            if not _IMAGE.search(written):
                continue
            nodes = list(ast.walk(ast.parse(written)))
            documents = {id(one.value) for one in nodes if isinstance(one, ast.Expr)}
            for node in nodes:
                text = None if id(node) in documents else _text(node)
                if text and _IMAGE.search(text) and re.search(r"\w\}?[.:]?$", text):
                    yield text


def _text(node: ast.AST) -> str | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        # No template of SQL or HTML.
        return node.value if "\n" not in node.value and " " in node.value else None
    if isinstance(node, ast.JoinedStr):
        parts = (str(one.value) if isinstance(one, ast.Constant) else "7" for one in node.values)
        text = "".join(parts)
        return text if " " in text else None
    return None


def test_every_sentence_is_said_of_texts_in_good_english() -> None:
    found = list(_sentences())
    assert len(found) > 100
    for sentence in found:
        said = in_words_of(Medium.TEXT, sentence)
        if said == sentence and re.search(r"\btexts?\b", sentence):
            # Written by somebody who knew that there are both.
            continue
        assert not _SPOKEN.search(_QUOTED.sub("", said)), said
        assert not re.search(r"\b[Aa]n texts?\b", said), said
        assert in_words_of(Medium.IMAGE, sentence) == sentence


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("An image of 2,000 images.", "A text of 2,000 texts."),
        ("Name an image, its image_column or 'image'", "Name a text, its image_column or 'image'"),
        ("The same picture as an image's.", "The same text as a text's."),
        ("The class image is gone; see images/ and x.images.", None),
        ("It serves images, and this project holds texts.", None),
    ],
)
def test_only_words_for_examples_are_put_into_other_words(written: str, said: str | None) -> None:
    assert in_words_of(Medium.TEXT, written) == (said or written)


def test_notes_and_warnings_of_a_result_are_reworded_and_nothing_else() -> None:
    result = {"notes": ["3 images wait."], "warnings": ["No image."], "names": ["an image"], "n": 3}
    assert result_in_words_of(Medium.TEXT, result) == {
        **result,
        "notes": ["3 texts wait."],
        "warnings": ["No text."],
    }
    assert result_in_words_of(Medium.IMAGE, result) is result
