"""Target models."""

from typing import Final

from models.catalog.params.detection import FcosParams, ScratchParams
from models.catalog.params.networks import (
    AutoParams,
    AutoTextParams,
    BackboneParams,
    HashedNgramsParams,
    MiniLMParams,
    PackagedParams,
    PatchKMeansParams,
    TinyParams,
    TrainingParams,
)
from models.catalog.spec import BOXES, TEXTS, Spec

_LITE: Final = (
    "R. Liu, Higher accuracy on vision models with EfficientNet-Lite, TensorFlow blog, 2020; M. "
    "Tan, Q. V. Le, EfficientNet: Rethinking Model Scaling for Convolutional Neural Networks, ICML "
    "2019"
)


_FCOS: Final = (
    "Z. Tian et al., FCOS: A Simple and Strong Anchor-Free Object Detector, TPAMI 2022; T.-Y. Lin "
    "et al., Feature Pyramid Networks for Object Detection, CVPR 2017"
)


def _lite(number: int, summary: str) -> Spec:
    return Spec(
        name=f"efficientnet_lite{number}",
        kind="model",
        group="published",
        title=f"EfficientNet-Lite{number}",
        summary=summary,
        target=f"models.media.images.networks.packaged:efficientnet_lite{number}",
        params=PackagedParams,
        paper=_LITE,
    )


MODELS = (
    Spec(
        name="auto",
        kind="model",
        group="recommended",
        title="The features that the verdicts choose",
        summary="Embeds photographs with a packaged network and with features of the pool, and "
        "lets the verdicts choose each round.",
        target="models.media.images.auto:AutoFeatures",
        params=AutoParams,
        needs=frozenset({"embeddings"}),
    ),
    _lite(0, "Sees what ImageNet shows: for photographs, frozen or fine-tuned; nothing to load."),
    _lite(1, "Somewhat larger and slower than EfficientNet-Lite0."),
    _lite(2, "The largest packaged network: slower by half than EfficientNet-Lite0."),
    Spec(
        name="patch_kmeans",
        kind="model",
        group="scratch",
        title="Patch k-means features, frozen",
        summary="Learns features from the pool, once; each round trains in seconds on a CPU.",
        target="models.media.images.patch_kmeans:PatchKMeans",
        params=PatchKMeansParams,
        paper="A. Coates, A. Y. Ng, The Importance of Encoding Versus Training with Sparse Coding "
        "and Vector Quantization, ICML 2011",
        needs=frozenset({"embeddings"}),
    ),
    Spec(
        name="cnn_tiny",
        kind="model",
        group="scratch",
        title="Tiny CNN",
        summary="Four convolutions that train in seconds on a CPU; for demos and small images.",
        target="models.media.images.networks.nets:cnn_tiny",
        params=TinyParams,
    ),
    Spec(
        name="resnet18_small",
        kind="model",
        group="scratch",
        title="ResNet-18 for small images",
        summary="The network of the published experiments for images up to 64 px; wants a GPU.",
        target="models.media.images.networks.nets:resnet18_small",
        params=TrainingParams,
        paper="K. He et al., Deep Residual Learning for Image Recognition, CVPR 2016",
    ),
    Spec(
        name="preact_resnet18",
        kind="model",
        group="scratch",
        title="Pre-activation ResNet-18 for small images",
        summary="The network of the published experiments with noisy labels, up to 64 px; wants a "
        "GPU.",
        target="models.media.images.networks.nets:preact_resnet18",
        params=TrainingParams,
        paper="K. He et al., Identity Mappings in Deep Residual Networks, ECCV 2016",
    ),
    Spec(
        name="torchvision",
        kind="model",
        group="published",
        title="Any torchvision network",
        summary="A published network, fine-tuned, frozen or trained from scratch.",
        target="models.media.images.networks.nets:torchvision_backbone",
        params=BackboneParams,
        paper="TorchVision maintainers, TorchVision: PyTorch's Computer Vision library, 2016",
    ),
    Spec(
        name="timm",
        kind="model",
        group="published",
        title="Any timm network",
        summary="One of over a thousand published networks, fine-tuned, frozen or from scratch.",
        target="models.media.images.networks.nets:timm_backbone",
        params=BackboneParams,
        paper="R. Wightman, PyTorch Image Models, 2019",
    ),
    Spec(
        name="auto_text",
        kind="model",
        group="recommended",
        title="The features of texts that the verdicts choose",
        summary="Embeds texts with a packaged network and with features of the pool, and lets the "
        "verdicts choose each round.",
        target="models.media.texts.auto_text:AutoTextFeatures",
        params=AutoTextParams,
        needs=frozenset({"embeddings"}),
        media=TEXTS,
    ),
    Spec(
        name="minilm",
        kind="model",
        group="published",
        title="MiniLM sentence embeddings, frozen",
        summary="Embeds texts by what they mean, with a packaged network for English; nothing to "
        "load.",
        target="models.media.texts.minilm:MiniLMFeatures",
        params=MiniLMParams,
        paper="W. Wang et al., MiniLM: Deep Self-Attention Distillation for Task-Agnostic "
        "Compression of Pre-Trained Transformers, NeurIPS 2020; N. Reimers, I. Gurevych, "
        "Sentence-BERT: Sentence Embeddings using Siamese BERT-Networks, EMNLP 2019",
        needs=frozenset({"embeddings"}),
        media=TEXTS,
    ),
    Spec(
        name="hashed_ngrams",
        kind="model",
        group="scratch",
        title="Hashed n-grams, frozen",
        summary="Embeds texts of any language by their words and pieces of words, with weights "
        "learned from the pool; fast on a CPU.",
        target="models.media.texts.hashed_ngrams:HashedNgrams",
        params=HashedNgramsParams,
        paper="K. Weinberger et al., Feature Hashing for Large Scale Multitask Learning, ICML "
        "2009; S. Deerwester et al., Indexing by Latent Semantic Analysis, JASIS 1990",
        needs=frozenset({"embeddings"}),
        media=TEXTS,
    ),
    Spec(
        name="fcos",
        kind="model",
        group="recommended",
        title="FCOS on packaged features",
        summary="Finds boxes on the maps of a packaged network, which are computed once; each "
        "round trains in minutes on a CPU.",
        target="models.tasks.boxes.maps:FcosMaps",
        params=FcosParams,
        paper=_FCOS,
        needs=frozenset({"embeddings"}),
        tasks=BOXES,
    ),
    Spec(
        name="fcos_scratch",
        kind="model",
        group="scratch",
        title="FCOS from scratch",
        summary="Finds boxes by a small network that learns from the boxes alone: for digits, "
        "drawings and images up to 64 px.",
        target="models.tasks.boxes.model:blank",
        params=ScratchParams,
        paper=_FCOS,
        tasks=BOXES,
    ),
)
