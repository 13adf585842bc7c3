"""Jobs that are started by hand; the name is the kind of the job."""

from models.catalog.entries.pruning import PRUNE4REL
from models.catalog.params.certify import CertifyParams
from models.catalog.params.compare import CompareParams
from models.catalog.params.contrastive import ContrastiveParams
from models.catalog.params.embedding_map import EmbeddingMapParams
from models.catalog.params.job_networks import PublishedChoice
from models.catalog.params.localize import LocalizeParams
from models.catalog.params.prune import PruneParams
from models.catalog.params.regularize import TaufeParams
from models.catalog.params.relabel import RelabelChoice, RelabelParams
from models.catalog.params.resize import ResizeParams
from models.catalog.params.select_instructions import SelectInstructionsParams
from models.catalog.spec import (
    BOXES,
    CLASSES,
    IMAGES,
    INSTRUCTIONS,
    TEXTS,
    THESIS,
    OfTexts,
    Spec,
)

JOBS = (
    Spec(
        name="learn_features",
        kind="job",
        title="Learn features",
        summary="Learns features of the whole pool contrastively, once, for the scores that need "
        "them; hours on a GPU.",
        target="models.media.images.contrastive:learn_encoder",
        params=ContrastiveParams,
        paper="J. Tack et al., CSI: Novelty Detection via Contrastive Learning on Distributionally "
        f"Shifted Instances, NeurIPS 2020; {THESIS}, section 4.4",
        without_gpu={"network": "cnn_tiny", "epochs": 50},
        media=IMAGES,
    ),
    Spec(
        name="taufe",
        kind="job",
        title="Compare regularizers",
        summary="Trains a network as it is, with OAT and with TAUFE, which make it do without the "
        "features that OOD images excite, and shows the three side by side.",
        target="models.regularization.training:train_method",
        tasks=CLASSES,
        params=TaufeParams,
        paper=f"{THESIS}, chapter 3; D. Park et al., Task-Agnostic Undesirable Feature "
        "Deactivation Using Out-of-Distribution Data, NeurIPS 2021",
        without_gpu={"network": "cnn_tiny", "steps": 400},
        media=IMAGES,
    ),
    Spec(
        name="localize",
        kind="job",
        title="Compare localization",
        summary="Trains a network as it is, with OAT and with TAUFE to find the one thing that an "
        "image shows, by its box or by its class alone, and shows what each finds.",
        target="models.tasks.localization.train:train_localizer",
        tasks=BOXES,
        params=LocalizeParams,
        paper=f"{THESIS}, section 3.4; B. Zhou et al., Learning Deep Features for Discriminative "
        "Localization, CVPR 2016; Z. Zheng et al., Distance-IoU Loss: Faster and Better Learning "
        "for Bounding Box Regression, AAAI 2020",
        without_gpu={"network": "cnn_tiny", "width": 16, "steps": 1000, "batch_size": 32},
        media=IMAGES,
    ),
    Spec(
        name="prune",
        kind="job",
        title="Prune labels",
        summary="Finds the part of the labels from which a model can put wrong ones right, to "
        "train on that part alone. Nothing is deleted.",
        target="models.pruning.run:prune",
        tasks=CLASSES,
        params=PruneParams,
        paper=PRUNE4REL,
        of_texts=OfTexts(
            {"network": "auto_text"},
            # Heads are warmed up, and no network.
            idle=frozenset({"flip", "precision", "width"} | PublishedChoice.model_fields.keys()),
            descriptions={
                "network": "Frozen features, which are computed once: auto_text chooses between "
                "minilm, for English, and hashed_ngrams, for other languages."
            },
        ),
    ),
    Spec(
        name="relabel",
        kind="job",
        title="Relabel",
        summary="Finds the labels that are probably wrong, says how many there are and how sure it "
        "is, and suggests others, for people to accept or reject.",
        target="models.relabeling.run:relabel",
        tasks=CLASSES,
        params=RelabelParams,
        paper=f"{THESIS}, chapter 5",
        of_texts=OfTexts(
            {"network": "auto_text"},
            # All else is for networks that are trained.
            idle=frozenset(RelabelParams.model_fields) - {*RelabelChoice.model_fields, "network"},
            descriptions={
                "network": "Frozen features, which are computed once: auto_text chooses between "
                "minilm, for English, and hashed_ngrams, for other languages."
            },
        ),
    ),
    Spec(
        name="certify",
        kind="job",
        title="Certify labels",
        summary="Labels what nobody has looked at by the newest model, where people who look at a "
        "few images drawn by chance show that few labels are wrong, and says how many at most.",
        target="models.guarantee.certification:Certification",
        tasks=CLASSES,
        params=CertifyParams,
        paper="I. Waudby-Smith, A. Ramdas, Confidence sequences for sampling without replacement, "
        "NeurIPS 2020",
    ),
    Spec(
        name="select_instructions",
        kind="job",
        title="Choose instructions",
        summary="Chooses the rows that are worth tuning on: puts alike ones together, lets a judge "
        "rank them and people decide where it is unsure, and keeps the best of each.",
        target="models.tasks.instructions.clusters:constrained_clusters",
        tasks=INSTRUCTIONS,
        params=SelectInstructionsParams,
        paper=f"{THESIS}, chapter 6",
        media=TEXTS,
    ),
    Spec(
        name="resize",
        kind="job",
        title="Resize images",
        summary="Brings the images of a pool to another size for the model, or has it see all of "
        "each or the middle, from their originals; rounds that are closed keep their results.",
        target="models.media.images.store:fit_image",
        params=ResizeParams,
        media=IMAGES,
    ),
    Spec(
        name="embedding_map",
        kind="job",
        title="Embedding map",
        summary="Lays the images of the pool out on a plane, those together that look alike to the "
        "model, to look around in and to act on what lies together.",
        target="models.features.embedding_map:lay_out",
        params=EmbeddingMapParams,
        paper="L. van der Maaten, G. Hinton, Visualizing Data using t-SNE, JMLR 2008; G. Linderman "
        "et al., Fast interpolation-based t-SNE for improved visualization of single-cell RNA-seq "
        "data, Nature Methods 2019",
        of_texts=OfTexts(
            summary="Lays the texts of the pool out on a plane, those together that say alike "
            "things to the model, to look around in and to act on what lies together.",
        ),
    ),
    Spec(
        name="compare",
        kind="job",
        title="Compare images",
        summary="Finds images that show the same picture, also where the pool has a picture to "
        "evaluate on, and how far each image is from its nearest others.",
        target="models.features.duplicates:groups_of",
        params=CompareParams,
        of_texts=OfTexts(
            {"correlation": 0.9},
            summary="Finds texts that are the same but for a few words or letters, also where the "
            "pool has a text to evaluate on, and how far each text is from its nearest others.",
            descriptions={
                "correlation": "Least likeness of two texts that are the same, by the pieces of "
                "their words: 1 is letter by letter. Lower finds texts of which more was changed.",
                "similarity": "Least cosine of the features of two texts that may be the same.",
            },
        ),
    ),
)
