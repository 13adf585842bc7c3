"""Every algorithm that a project can choose. Torch-free: the API lists and validates from here.

Adding one: its file, an entry here, a page in `docs/algorithms/`, a reference test. Packages of
third parties add entries through the entry-point group `karat.algorithms`; each entry point
names a `Spec` or an iterable of them.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from typing import Any, Literal, get_args

from pydantic import BaseModel, ValidationError

from models.errors import ModelError
from models.params import NoParams
from models.params.networks import BackboneParams, PatchKMeansParams, TinyParams, TrainingParams
from models.params.scores import EnergyParams, KnnParams, ProbeParams
from models.params.strategies import MQNetParams

Kind = Literal["model", "informativeness", "purity", "strategy"]

ENTRY_POINT_GROUP = "karat.algorithms"


@dataclass(frozen=True)
class Spec:
    """One algorithm.

    Attributes:
        name: what settings call it; unique within its kind.
        kind: decides the signature of the target.
        title: for headings.
        summary: one sentence that helps to choose.
        target: "module:function", imported only where it runs.
        params: schema of its parameters, with defaults and bounds.
        paper: where it comes from.
        needs: kinds whose scores it uses ("purity", "informativeness"); for a model,
            "embeddings" when it is always frozen.
    """

    name: str
    kind: Kind
    title: str
    summary: str
    target: str
    params: type[BaseModel] = NoParams
    paper: str = ""
    needs: frozenset[str] = frozenset()


_THESIS = (
    "D. Park, Prioritizing Informative Features and Examples for Deep Learning from Noisy Data, "
    "KAIST"
)
_BOTH = frozenset({"purity", "informativeness"})

_MODELS = (
    Spec(
        name="patch_kmeans",
        kind="model",
        title="Patch k-means features, frozen",
        summary="Learns features from the pool, once; each round trains in seconds on a CPU.",
        target="models.patch_kmeans:PatchKMeans",
        params=PatchKMeansParams,
        paper="A. Coates, A. Y. Ng, The Importance of Encoding Versus Training with Sparse Coding "
        "and Vector Quantization, ICML 2011",
        needs=frozenset({"embeddings"}),
    ),
    Spec(
        name="cnn_tiny",
        kind="model",
        title="Tiny CNN",
        summary="Four convolutions that train in seconds on a CPU; for demos and small images.",
        target="models.nets:cnn_tiny",
        params=TinyParams,
    ),
    Spec(
        name="resnet18_small",
        kind="model",
        title="ResNet-18 for small images",
        summary="The network of the published experiments for images up to 64 px; wants a GPU.",
        target="models.nets:resnet18_small",
        params=TrainingParams,
        paper="K. He et al., Deep Residual Learning for Image Recognition, CVPR 2016",
    ),
    Spec(
        name="torchvision",
        kind="model",
        title="Any torchvision network",
        summary="A published network, fine-tuned, frozen or trained from scratch.",
        target="models.nets:torchvision_backbone",
        params=BackboneParams,
        paper="TorchVision maintainers, TorchVision: PyTorch's Computer Vision library, 2016",
    ),
    Spec(
        name="timm",
        kind="model",
        title="Any timm network",
        summary="One of over a thousand published networks, fine-tuned, frozen or from scratch.",
        target="models.nets:timm_backbone",
        params=BackboneParams,
        paper="R. Wightman, PyTorch Image Models, 2019",
    ),
)

_INFORMATIVENESS = (
    Spec(
        name="conf",
        kind="informativeness",
        title="Least confidence",
        summary="Asks where the most likely class has the least probability.",
        target="models.informativeness.conf:score",
        paper="D. Wang, Y. Shang, A New Active Labeling Method for Deep Learning, IJCNN 2014",
    ),
    Spec(
        name="margin",
        kind="informativeness",
        title="Smallest margin",
        summary="Asks where the two most likely classes are closest; a good default.",
        target="models.informativeness.margin:score",
        paper="D. Roth, K. Small, Margin-Based Active Learning for Structured Output Spaces, "
        "ECML 2006",
    ),
    Spec(
        name="entropy",
        kind="informativeness",
        title="Largest entropy",
        summary="Asks where the probability is spread over the most classes.",
        target="models.informativeness.entropy:score",
        paper="B. Settles, Active Learning Literature Survey, 2009, section 3.1",
    ),
)

_PURITY = (
    Spec(
        name="probe",
        kind="purity",
        title="Probe on all verdicts",
        summary="Learns IN against OOD from every verdict so far; the best choice once there are "
        "OOD answers.",
        target="models.purity.probe:score",
        params=ProbeParams,
        paper="Ours",
    ),
    Spec(
        name="knn",
        kind="purity",
        title="Nearest labeled neighbour",
        summary="Similarity to the nearest labeled in-distribution example; needs no OOD answers.",
        target="models.purity.knn:score",
        params=KnnParams,
        paper="Y. Sun et al., Out-of-Distribution Detection with Deep Nearest Neighbors, ICML 2022",
    ),
    Spec(
        name="energy",
        kind="purity",
        title="Energy",
        summary="Free energy of the logits; needs a well-trained network to be of use.",
        target="models.purity.energy:score",
        params=EnergyParams,
        paper="W. Liu et al., Energy-based Out-of-distribution Detection, NeurIPS 2020",
    ),
)

_STRATEGIES = (
    Spec(
        name="mqnet",
        kind="strategy",
        title="MQ-Net",
        summary="Learns from the last answers how to balance purity against informativeness.",
        target="models.strategies.mqnet:rank",
        params=MQNetParams,
        paper=f"{_THESIS}, chapter 4; D. Park et al., Meta-Query-Net, NeurIPS 2022",
        needs=_BOTH,
    ),
    Spec(
        name="p_plus_i",
        kind="strategy",
        title="Purity plus informativeness",
        summary="Adds the two normalised scores with equal weight.",
        target="models.strategies.p_plus_i:rank",
        paper=f"{_THESIS}, section 4.3",
        needs=_BOTH,
    ),
    Spec(
        name="margin",
        kind="strategy",
        title="Smallest margin",
        summary="Ignores purity; strong when the pool is clean.",
        target="models.strategies.margin:rank",
        paper=_INFORMATIVENESS[1].paper,
    ),
    Spec(
        name="conf",
        kind="strategy",
        title="Least confidence",
        summary="Ignores purity; a common baseline.",
        target="models.strategies.conf:rank",
        paper=_INFORMATIVENESS[0].paper,
    ),
    Spec(
        name="entropy",
        kind="strategy",
        title="Largest entropy",
        summary="Ignores purity; a common baseline.",
        target="models.strategies.entropy:rank",
        paper=_INFORMATIVENESS[2].paper,
    ),
    Spec(
        name="random",
        kind="strategy",
        title="Random",
        summary="Asks in random order: the reference that every strategy has to beat.",
        target="models.strategies.random:rank",
        paper="Uniform sampling",
    ),
)


@cache
def specs() -> tuple[Spec, ...]:
    """Return every algorithm, built-in first.

    Raises:
        ModelError: a third-party entry is no `Spec`, or takes a name that is in use.
    """
    known = {(s.kind, s.name): s for s in _MODELS + _INFORMATIVENESS + _PURITY + _STRATEGIES}
    for point in entry_points(group=ENTRY_POINT_GROUP):
        loaded = point.load()
        for spec in loaded if isinstance(loaded, Iterable) else (loaded,):
            if not isinstance(spec, Spec) or spec.kind not in get_args(Kind):
                raise ModelError(f"The entry point {point.name} names no Spec: {spec!r}.")
            if (spec.kind, spec.name) in known:
                raise ModelError(
                    f"The entry point {point.name} takes the name {spec.kind} {spec.name}, which "
                    "is in use; rename it or remove its package."
                )
            known[spec.kind, spec.name] = spec
    return tuple(known.values())


def find(kind: str, name: str) -> Spec:
    """Return one algorithm.

    Raises:
        ModelError: unknown name; the message lists the known ones.
    """
    of_kind = [spec for spec in specs() if spec.kind == kind]
    for spec in of_kind:
        if spec.name == name:
            return spec
    known = ", ".join(spec.name for spec in of_kind) or "none"
    raise ModelError(f"There is no {kind} {name!r}; known: {known}.")


def parse(kind: str, name: str, params: Mapping[str, Any]) -> Any:
    """Validate parameters into the algorithm's own schema.

    Raises:
        ModelError: unknown algorithm, unknown parameter or a bad value; the message names the
            parameter.
    """
    schema = find(kind, name).params
    try:
        return schema.model_validate(dict(params))
    except ValidationError as error:
        faults = "; ".join(
            f"{'.'.join(map(str, fault['loc'])) or 'parameters'}: {fault['msg']}"
            for fault in error.errors(include_url=False)
        )
        raise ModelError(f"Parameters of {kind} {name}: {faults}.") from error


def validate(kind: str, name: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return validated parameters with defaults filled in; see `parse` for the errors."""
    parsed: BaseModel = parse(kind, name, params)
    return parsed.model_dump()
