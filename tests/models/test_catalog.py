import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import get_args

import pytest
from pydantic import BaseModel

from core.settings.project import Choice, ProjectSettings
from models import catalog
from models.catalog import DEFAULT_MODEL, DEFAULTS_OF_TASK, Choosable, Spec, find, specs, validate
from models.catalog.resolve import resolve
from models.errors import ModelError

NEEDS = {
    "purity", "informativeness", "embeddings",
    "contrastive", "predicted_losses", "ood_class", "weights", "detections",
    "logits", "plain_embeddings", "plain_logits", "losses", "correct",
    "label_probabilities", "margins", "gradient_norms",
    "self_supervised",
    "lengths", "scores", "clusters", "rankings",
}  # fmt: skip
DOCS = Path(__file__).parents[2] / "docs" / "algorithms"

every_spec = pytest.mark.parametrize("spec", specs(), ids=lambda spec: f"{spec.kind}-{spec.name}")


def test_reading_the_catalog_loads_no_torch() -> None:
    code = (
        "import sys, models.catalog, models.media.images.store, models.media.texts.store\n"
        "import models.evaluation.evaluate\n"
        "models.catalog.validate('strategy', 'mqnet', {})\n"
        "assert not {'torch', 'sklearn', 'torchvision', 'timm'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@every_spec
def test_entry_is_complete_and_loads(spec: Spec) -> None:
    assert callable(resolve(spec))
    assert spec.title
    assert spec.summary.endswith(".")
    assert spec.needs <= NEEDS
    assert find(spec.kind, spec.name) is spec


@pytest.mark.parametrize("kind", get_args(Choosable))
def test_what_can_be_chosen_has_a_group_and_one_comes_first(kind: str) -> None:
    groups = {spec.name: spec.group for spec in specs() if spec.kind == kind}
    assert [name for name, group in groups.items() if group == "other"] == []
    default: Choice = getattr(ProjectSettings(), kind)
    for medium, model in DEFAULT_MODEL.items():
        first = model if kind == "model" else default.name
        recommended = [find(kind, name) for name in groups if groups[name] == "recommended"]
        served = [spec for spec in recommended if spec.serves(medium)]
        assert [one.name for one in served if one.serves_task("classification")] == [first]
    for task, chosen in DEFAULTS_OF_TASK.items():
        own = {one.name for one in recommended if one.tasks == {task}}
        assert own == {chosen[kind] for _ in range(kind in chosen)}


@every_spec
def test_parameters_are_described_and_have_defaults(spec: Spec) -> None:
    for name, field in spec.params.model_fields.items():
        assert field.description, name
        assert not field.is_required(), name
    defaults = validate(spec.kind, spec.name, {})
    assert validate(spec.kind, spec.name, defaults) == defaults
    assert spec.params.model_json_schema()["additionalProperties"] is False


@every_spec
def test_documentation_names_every_parameter_in_order(spec: Spec) -> None:
    page = (DOCS / f"{spec.kind}-{spec.name}.md").read_text()
    entry = f"| [{spec.name}]({spec.kind}-{spec.name}.md) | {spec.summary} |"
    assert entry in (DOCS / "index.md").read_text()
    rows = []
    for name, value in validate(spec.kind, spec.name, {}).items():
        shown = "empty" if value is None else str(value).lower()
        assert f"| `{name}` | {shown} |" in page, name
        rows.append(page.index(f"| `{name}` | {shown} |"))
    # The page, the form and the schema go through them in one order.
    assert rows == sorted(rows)
    assert ("no worker has a GPU" in page) == bool(spec.without_gpu)
    for name, value in validate(spec.kind, spec.name, spec.without_gpu).items():
        assert name not in spec.without_gpu or f"`{name}` {value}" in page, name
    for name, value in spec.of_texts.defaults.items():
        assert "project of texts" in page, name
        assert str(value) in page, name


@pytest.mark.parametrize(
    ("job", "first"),
    [
        ("learn_features", ["network"]),
        ("taufe", ["training", "taufe", "oat"]),
        ("prune", ["method", "ratio", "count"]),
        ("relabel", ["learner"]),
    ],
)
def test_what_a_job_is_about_is_asked_first(job: str, first: list[str]) -> None:
    asked = list(find("job", job).params.model_json_schema()["properties"])
    assert asked[: len(first)] == first


@pytest.mark.parametrize("job", ["prune", "relabel", "taufe"])
def test_jobs_take_every_model_that_they_can_learn_with(job: str) -> None:
    offered = find("job", job).params.model_json_schema()["properties"]["network"]["enum"]
    models = {
        spec.name
        for spec in specs()
        if spec.kind == "model" and spec.serves_task("classification")
        # Features that are always frozen cannot be shaped.
        if job != "taufe" or "embeddings" not in spec.needs
    }
    assert set(offered) == models


def test_every_page_belongs_to_an_algorithm() -> None:
    expected = {f"{spec.kind}-{spec.name}.md" for spec in specs()} | {"index.md"}
    assert {page.name for page in DOCS.glob("*.md")} == expected


def test_names_are_unique_within_their_kind() -> None:
    names = [(spec.kind, spec.name) for spec in specs()]
    assert len(names) == len(set(names))


def test_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(ModelError, match="no purity 'csii'; known: probe, knn, energy, k_plus_1"):
        find("purity", "csii")


@pytest.mark.parametrize(
    ("params", "fault"),
    [
        ({"neighbors": 3}, "neighbors: there is no such name; the nearest is neighbours"),
        ({"neighbours": 0}, "neighbours: must be greater than or equal to 1"),
        ({"neighbours": "many"}, r"neighbours: must be a valid integer\.$"),
    ],
)
def test_bad_parameter_is_named(params: dict[str, object], fault: str) -> None:
    with pytest.raises(ModelError, match=fault):
        validate("purity", "knn", params)


def test_not_a_number_is_refused() -> None:
    with pytest.raises(ModelError, match=r"temperature: .*finite"):
        validate("purity", "energy", {"temperature": float("inf")})


def test_finetuning_without_weights_is_refused() -> None:
    with pytest.raises(ModelError, match="finetune needs pretrained"):
        validate("model", "timm", {"pretrained": False})


class ThirdParty(BaseModel):
    """Parameters of a plug-in."""


PLUGIN = Spec("mine", "purity", "Mine", "Ours.", "models.purity.knn:score", ThirdParty)
TAKEN = Spec("knn", "purity", "Mine", "Ours.", "models.purity.knn:score", ThirdParty)


def _install(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    point = EntryPoint("plugin", f"{__name__}:{name}", catalog.ENTRY_POINT_GROUP)
    monkeypatch.setattr(catalog, "entry_points", lambda group: [point] if group else [])
    monkeypatch.setattr(catalog, "specs", catalog.specs.__wrapped__)
    monkeypatch.setitem(sys.modules, __name__, sys.modules[__name__])


def test_third_party_algorithm_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    _install(monkeypatch, "PLUGIN")
    assert catalog.find("purity", "mine") is PLUGIN


def test_third_party_cannot_replace_a_built_in(monkeypatch: pytest.MonkeyPatch) -> None:
    _install(monkeypatch, "TAKEN")
    with pytest.raises(ModelError, match="purity knn, which is in use"):
        catalog.specs()


def test_missing_target_says_so() -> None:
    with pytest.raises(ModelError, match=r"cannot be loaded from models\.purity\.gone:score"):
        resolve(Spec("gone", "purity", "Gone", "Gone.", "models.purity.gone:score"))
