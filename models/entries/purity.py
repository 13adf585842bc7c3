"""Purity scores."""

from models.params.scores import (
    ClipParams,
    CsiParams,
    EnergyParams,
    KnnParams,
    KPlusOneParams,
    MahalanobisParams,
    MspParams,
    OdinParams,
    ProbeParams,
    ReactParams,
)
from models.spec import CLASSES, IMAGES, THESIS, Spec

PURITY = (
    Spec(
        name="probe",
        kind="purity",
        group="recommended",
        title="Probe on all verdicts",
        summary="Learns from every verdict so far to tell the classes from OOD; the best choice "
        "once there are OOD answers.",
        target="models.purity.probe:score",
        by_row=True,
        params=ProbeParams,
        paper="Ours",
        fallback="knn",
        probability=True,
    ),
    Spec(
        name="knn",
        kind="purity",
        group="features",
        title="Nearest labeled neighbour",
        summary="Similarity to the nearest labeled in-distribution example; needs no OOD answers.",
        target="models.purity.knn:score",
        by_row=True,
        params=KnnParams,
        paper="Y. Sun et al., Out-of-Distribution Detection with Deep Nearest Neighbors, ICML 2022",
    ),
    Spec(
        name="energy",
        kind="purity",
        group="outputs",
        title="Energy",
        summary="Free energy of the logits; needs a well-trained network to be of use.",
        target="models.purity.energy:score",
        by_row=True,
        params=EnergyParams,
        paper="W. Liu et al., Energy-based Out-of-distribution Detection, NeurIPS 2020",
    ),
    Spec(
        name="k_plus_1",
        kind="purity",
        group="outputs",
        title="Classes against OOD",
        summary="Probability of any class in a classifier that knows OOD as one more class.",
        target="models.purity.k_plus_1:score",
        params=KPlusOneParams,
        paper="Ours",
        fallback="knn",
        probability=True,
    ),
    Spec(
        name="csi",
        kind="purity",
        group="features",
        title="CSI",
        summary="Similarity to labeled in-distribution examples in features learned contrastively "
        "on the pool; needs no OOD answers.",
        target="models.purity.csi:score",
        by_row=True,
        params=CsiParams,
        paper="J. Tack et al., CSI: Novelty Detection via Contrastive Learning on Distributionally "
        "Shifted Instances, NeurIPS 2020",
        needs=frozenset({"contrastive"}),
        media=IMAGES,
        fallback="knn",
    ),
    Spec(
        name="csi_ood",
        kind="purity",
        group="features",
        title="CSI, distance from OOD",
        summary="Distance from labeled OOD examples in features learned contrastively on the pool; "
        "needs OOD answers.",
        target="models.purity.csi_ood:score",
        by_row=True,
        paper=f"{THESIS}, section 4.4",
        needs=frozenset({"contrastive"}),
        media=IMAGES,
        fallback="knn",
    ),
    Spec(
        name="mahalanobis",
        kind="purity",
        group="features",
        title="Mahalanobis distance",
        summary="Distance to the nearest class in units of the spread within classes; needs no OOD "
        "answers.",
        target="models.purity.mahalanobis:score",
        by_row=True,
        params=MahalanobisParams,
        paper="K. Lee et al., A Simple Unified Framework for Detecting Out-of-Distribution Samples "
        "and Adversarial Attacks, NeurIPS 2018",
        fallback="knn",
    ),
    Spec(
        name="react",
        kind="purity",
        group="outputs",
        title="ReAct",
        summary="Energy after unusually high activations were cut off; needs a well-trained "
        "network to be of use.",
        target="models.purity.react:score",
        params=ReactParams,
        paper="Y. Sun et al., ReAct: Out-of-distribution Detection With Rectified Activations, "
        "NeurIPS 2021",
        fallback="energy",
    ),
    Spec(
        name="msp",
        kind="purity",
        group="outputs",
        title="Maximum softmax probability",
        summary="How sure the model is of its class; the common baseline.",
        target="models.purity.msp:score",
        by_row=True,
        params=MspParams,
        paper="D. Hendrycks, K. Gimpel, A Baseline for Detecting Misclassified and "
        "Out-of-Distribution Examples in Neural Networks, ICLR 2017",
    ),
    Spec(
        name="odin",
        kind="purity",
        group="outputs",
        title="ODIN",
        summary="Maximum softmax probability of inputs moved towards their class; takes three more "
        "passes.",
        target="models.purity.odin:score",
        tasks=CLASSES,
        by_row=True,
        params=OdinParams,
        paper="S. Liang et al., Enhancing The Reliability of Out-of-distribution Image Detection "
        "in Neural Networks, ICLR 2018",
        fallback="msp",
    ),
    Spec(
        name="clip",
        kind="purity",
        group="names",
        title="CLIP, zero-shot",
        summary="Compares images with the names of the classes; needs downloaded weights and no "
        "answers.",
        target="models.purity.clip:score",
        by_row=True,
        params=ClipParams,
        paper="Y. Ming et al., Delving into Out-of-Distribution Detection with Vision-Language "
        "Representations, NeurIPS 2022; S. Esmaeilpour et al., Zero-Shot Out-of-Distribution "
        "Detection Based on the Pre-trained Model CLIP, AAAI 2022",
        needs=frozenset({"weights"}),
        media=IMAGES,
        fallback="knn",
        probability=True,
    ),
)
