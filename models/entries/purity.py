"""Purity scores."""

from models.params.scores import EnergyParams, KnnParams, ProbeParams
from models.spec import Spec

PURITY = (
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
