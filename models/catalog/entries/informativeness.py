"""Informativeness scores."""

from models.catalog.params.detection import BoxEntropyParams
from models.catalog.spec import BOXES, IMAGES, Spec

INFORMATIVENESS = (
    Spec(
        name="conf",
        kind="informativeness",
        group="outputs",
        title="Least confidence",
        summary="Asks where the most likely class has the least probability.",
        target="models.informativeness.conf:score",
        by_row=True,
        paper="D. Wang, Y. Shang, A New Active Labeling Method for Deep Learning, IJCNN 2014",
    ),
    Spec(
        name="margin",
        kind="informativeness",
        group="recommended",
        title="Smallest margin",
        summary="Asks where the two most likely classes are closest; a good default.",
        target="models.informativeness.margin:score",
        by_row=True,
        paper="D. Roth, K. Small, Margin-Based Active Learning for Structured Output Spaces, "
        "ECML 2006",
    ),
    Spec(
        name="entropy",
        kind="informativeness",
        group="outputs",
        title="Largest entropy",
        summary="Asks where the probability is spread over the most classes.",
        target="models.informativeness.entropy:score",
        by_row=True,
        paper="B. Settles, Active Learning Literature Survey, 2009, section 3.1",
    ),
    Spec(
        name="ll",
        kind="informativeness",
        group="outputs",
        title="Predicted loss",
        summary="Asks where a module of the network, trained beside it, predicts the largest loss.",
        target="models.informativeness.ll:score",
        by_row=True,
        paper="D. Yoo, I. S. Kweon, Learning Loss for Active Learning, CVPR 2019",
        needs=frozenset({"predicted_losses"}),
        fallback="margin",
    ),
    Spec(
        name="box_entropy",
        kind="informativeness",
        group="recommended",
        title="Entropy of the boxes",
        summary="Asks where it is most open of boxes whether they are right.",
        target="models.informativeness.box_entropy:score",
        by_row=True,
        params=BoxEntropyParams,
        paper="S. Roy et al., Deep Active Learning for Object Detection, BMVC 2018",
        needs=frozenset({"detections"}),
        fallback="margin",
        tasks=BOXES,
        media=IMAGES,
    ),
)
