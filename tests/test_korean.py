"""The app has Korean for what the server says in English, and nothing left over."""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from models.catalog import specs

ROOT: Final = Path(__file__).resolve().parent.parent
STRINGS: Final = ROOT / "frontend/src/strings/ko"
# Of the API and the workers, what speaks to people on pages; the rest fills logs and reports.
SPEAKERS: Final = (
    "api/jobs/waiting.py", "models", "workers/advance", "workers/dry_run.py",
    "workers/embedding_map", "workers/execution/claiming.py", "workers/execution/mending.py",
    "workers/execution/runner.py", "workers/instructions/report.py", "workers/judges/faults.py",
    "workers/judges/trial.py", "workers/localize/handler.py", "workers/prune/warmed.py",
    "workers/resize",
)  # fmt: skip
NUMBER_FORMATS: Final = {"float32", "bfloat16"}
# What pages have words of their own for (strings/en/said.ts, setup.splits), and columns of files.
CONTROLS: Final = {
    "auxiliary_ood", "count_from", "dry_run", "folder_split", "key_column", "max_rounds",
    "max_tokens", "subset_id",
}  # fmt: skip
LIBRARIES: Final = {"open_clip"}
# What programs send, and pages do not name.
SENT: Final = {"classes_version", "setup_version"}
COLUMNS: Final = {"bbox_format", "category_id", "example_id", "file_name"}
# Of no parts of Python, as timm.list_models().
_NAME: Final = re.compile(r"(?<!\.)\b[a-z0-9]+(?:_[a-z0-9]+)+\b")
_HANGUL: Final = re.compile(r"[가-힣]")
_NUMBER: Final = re.compile(r"\d+(?:\.\d+)?")


def _korean(name: str) -> dict[str, str]:
    found: dict[str, str] = json.loads((STRINGS / name).read_text())
    return found


def _sentences_in_korean() -> dict[str, str]:
    """What jobs say, and what the API refuses."""
    return _korean("sentences.json") | _korean("refusals.json")


def _catalog() -> set[str]:
    """Every title, summary and word on a parameter, and the values that it chooses from."""
    words = {text for spec in specs() for text in (spec.title, spec.summary)}
    for spec in specs():
        words |= {spec.of_texts.summary, *spec.of_texts.descriptions.values()} - {""}
        for name, schema in spec.params.model_json_schema().get("properties", {}).items():
            words |= {schema["title"], schema["description"]}
            # The app calls these by the titles of the algorithms that they are.
            if name not in {"learner", "method", "network"}:
                words |= set(schema.get("enum", ())) - NUMBER_FORMATS
    return words


def test_everything_in_the_catalog_of_algorithms_has_korean() -> None:
    korean = _korean("catalog.json")
    assert _catalog() - korean.keys() == set()
    assert korean.keys() - _catalog() - {spec.paper for spec in specs()} == set()


def test_only_names_of_methods_stay_as_they_are() -> None:
    names = {spec.title for spec in specs()}
    latin = {one: said for one, said in _korean("catalog.json").items() if not _HANGUL.search(said)}
    assert {one for one, said in latin.items() if said != one or one not in names} == set()
    assert [one for one, said in _sentences_in_korean().items() if not _HANGUL.search(said)] == []


def test_what_the_server_names_has_a_title_in_the_catalog() -> None:
    known = {spec.name for spec in specs()} | {
        name for spec in specs() for name in spec.params.model_json_schema().get("properties", {})
    }
    named = {one for english in _sentences_in_korean() for one in _NAME.findall(english)}
    assert named - known - CONTROLS - COLUMNS - LIBRARIES - SENT == set()


def test_no_number_is_lost_on_the_way_to_korean() -> None:
    for english, said in (_korean("catalog.json") | _sentences_in_korean()).items():
        assert set(_NUMBER.findall(english)) <= set(_NUMBER.findall(said)), english


def _text(node: ast.AST) -> str | None:
    """A string as it is written, with ``{}`` for what varies."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(
            str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values
        )
    return None


def _sentences(node: ast.AST) -> Iterator[str]:
    """Sentences that reach people as notes and as what a job has to say."""
    is_fault = isinstance(node, ast.Raise) and "NotReady" not in ast.unparse(node)
    if is_fault or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
        return
    text = _text(node)
    if text is None:
        for child in ast.iter_child_nodes(node):
            yield from _sentences(child)
    elif re.search(r"\w\}?\.$", text) and " " in text:
        yield text


def _trees(*places: str) -> Iterator[ast.AST]:
    for place in places:
        path = ROOT / place
        for file in [path] if path.is_file() else path.rglob("*.py"):
            # The words of the catalog are in its own file.
            if not {"entries", "params"} & {*file.parts}:
                yield ast.parse(file.read_text())


def _checks_of_parameters() -> Iterator[ast.AST]:
    for file in (ROOT / "models/catalog/params").glob("*.py"):
        yield ast.parse(file.read_text())


def test_every_note_has_korean() -> None:
    said = {sentence for tree in _trees(*SPEAKERS) for sentence in _sentences(tree)}
    assert "No model yet, so the batch is random." in said
    assert said - _sentences_in_korean().keys() == set()


# What only programs can ask for: no page sends it, or none shows the answer.
OF_PROGRAMS: Final = {
    "annotations_cut", "annotations_under_way", "bad_request", "body_too_deep",
    "body_too_many_parts", "broker_unavailable", "code_required", "database_unavailable",
    "invalid_folder_split", "invalid_polygon", "invalid_upload", "invalid_value",
    "link_expired", "link_invalid", "metrics_closed", "no_picture", "no_such_tile", "not_after",
    "not_for_medium", "nothing_to_confirm", "project_token", "schema_outdated",
    "scope_required", "similar_to_what", "storage_unavailable", "unknown_weights",
    "wrong_medium",
}  # fmt: skip
DETAIL: Final = {
    "Conflict": 1, "DomainError": 1, "Forbidden": 1, "Invalid": 1, "OutOfOrder": 1,
    "Unauthenticated": 1, "Unavailable": 1,
}  # fmt: skip


def test_everything_that_the_api_refuses_on_pages_has_korean() -> None:
    said = {}
    for tree in _trees("api", "core"):
        for node in ast.walk(tree):
            place = DETAIL.get(ast.unparse(node.func)) if isinstance(node, ast.Call) else None
            if not isinstance(node, ast.Call) or place is None or len(node.args) <= place:
                continue
            code = _text(node.args[0])
            # What is put together elsewhere is nothing but what varies, and of a setting its field.
            text = (_text(node.args[place]) or "").strip("{}:. ")
            if text and code not in OF_PROGRAMS:
                said[_text(node.args[place])] = code
    assert said["Only admins may do this."] == "admin_required"
    known = _sentences_in_korean()
    assert {text: code for text, code in said.items() if text not in known} == {}


def test_every_reason_to_refuse_a_file_has_korean() -> None:
    place = {
        "Refused": 0, "refused_item": 1, "Note": 0, "_noted": 1, "Problem": 1,
        "metadata.problem": 1, "self.problem": 1, "problem": 1, "NotText": 0,
        "_Unfit": 0,
    }  # fmt: skip
    calls = (
        (node.args, place[ast.unparse(node.func)])
        for tree in _trees("core/media", "workers/imports")
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) in place
    )
    # Where all arguments come as one, the reason was written elsewhere.
    reasons = {_text(args[at]) for args, at in calls if len(args) > at}
    assert "empty file" in reasons
    assert reasons - _sentences_in_korean().keys() - {None} == set()


def test_no_korean_sentence_has_lost_its_english() -> None:
    written = {
        _text(node)
        for tree in (*_trees("api", "core", "models", "workers"), *_checks_of_parameters())
        for node in ast.walk(tree)
    }
    assert _sentences_in_korean().keys() - written == set()


def test_korean_sentences_fill_in_what_varies() -> None:
    for english, said in _sentences_in_korean().items():
        places = {int(one) for one in re.findall(r"\{(\d)\}", said)}
        assert places <= set(range(english.count("{}"))), english
        assert "{}" not in said, english
