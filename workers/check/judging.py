"""Judging what was read, as the job ``relabel`` judges the labels of a project.

What learns is imported once there is something to learn from: it takes half of a start, and
somebody waits for the first files to be read, or for what is wrong with them.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from core.errors import Invalid
from core.media.nouns import in_words_of
from core.states import Medium
from models.evaluation.skill_warnings import Skill
from models.media.base import Store
from models.protocols import OOD, Float32Array, Indices
from models.relabeling import FIX_GAIN
from models.relabeling.several import together
from workers.check.asked import Eta
from workers.check.gather import Gathered, Given

if TYPE_CHECKING:
    from models.relabeling.frozen import NoiseRate
    from models.relabeling.opinions import Float64Array

_SEED: Final = 0
# With fewer images that were called OOD nobody knows what such images look like.
_FEWEST_OOD: Final = 5
_NAMED: Final = 10
_NETWORKS: Final[Mapping[Medium, str]] = {Medium.IMAGE: "auto", Medium.TEXT: "auto_text"}
_SINGLE: Final = "it is the only image of its class, of which nobody could say whether it is right"
_DISPUTED: Final = "fewer than two images have this label and no other"
_FEW_OOD: Final = f"fewer than {_FEWEST_OOD} images are said to belong to no class and nothing else"


@dataclass(frozen=True, slots=True)
class JudgedLabel:
    """What is said of one label of one image.

    Attributes:
        given: The label.
        wrong: How likely it is wrong, 0..1; ``None`` where it was not judged.
        proposed: Position of the likeliest other class, or ``OOD``; ``None`` where it was not
            judged.
        likely: How likely that is right, 0..1.
        worth: What a look is expected to bring, higher = sooner.
        others: The other labels of the same image.
        why_not: Why it was not judged.
    """

    given: Given
    wrong: float | None = None
    proposed: int | None = None
    likely: float | None = None
    worth: float = 0.0
    others: tuple[int, ...] = ()
    why_not: str = ""


@dataclass(frozen=True)
class Judged:
    """What came of it.

    Attributes:
        verdicts: One for each label that was given to a file, the one to look at first in front;
            those that were not judged at the end, as they came.
        noise: How many of the judged labels are wrong.
        judged: How many labels of images were judged, copies counted once.
        contradicted: Images with several labels, of which one at least is wrong.
        single: Classes with one image, which could not be judged.
        disputed: Classes with several images, nearly all of which have other labels as well, which
            could not be judged either.
        warnings: Why little of it is to be believed.
        notes: How features were chosen.
    """

    verdicts: list[JudgedLabel]
    noise: "NoiseRate"
    judged: int
    contradicted: int
    single: list[str]
    disputed: list[str]
    warnings: list[str]
    notes: list[str]

    def listed(self, share: float) -> list[JudgedLabel]:
        """Those that are worth a look.

        Args:
            share: How likely a label has to be wrong.
        """
        return [one for one in self.verdicts if one.wrong is not None and one.wrong >= share]


@dataclass(frozen=True)
class _Plan:
    """What is judged.

    Attributes:
        labels: Those of the images that have one, then those of the others: image and label.
        times: How often each was given to its image.
        clean: How many there are of the first.
        classes: Position of each class that is judged, by what ``Given`` calls it.
        why_not: Why a label is not judged, by what ``Given`` calls it.
        single: Which of these are of one image.
    """

    labels: list[tuple[int, int]]
    times: list[int]
    clean: int
    classes: Mapping[int, int]
    why_not: Mapping[int, str]
    single: set[int]


def judge(gathered: Gathered, work: Path, course: Eta) -> Judged:
    """Judge every label that can be judged.

    Args:
        gathered: What was read.
        work: Where the features go.
        course: Told how far it is.

    Raises:
        DomainError: ``one_class`` or ``too_few``.
        ModelError: The features cannot be computed.
    """
    labels_of: dict[int, Counter[int]] = defaultdict(Counter)
    for given in gathered.given:
        labels_of[given.image][given.label] += given.times
    plan = _plan(labels_of, gathered)
    found = _judged(plan, gathered, work, course)
    verdicts = []
    for given in gathered.given:
        others = tuple(one for one in labels_of[given.image] if one != given.label)
        said = found.by_label.get((given.image, given.label))
        if said is None:
            why = in_words_of(gathered.medium, plan.why_not[given.label])
            verdicts.append(JudgedLabel(given, others=others, why_not=why))
        else:
            verdicts.append(replace(said, given=given, others=others))
    verdicts.sort(key=lambda one: (one.wrong is None, -one.worth))
    inside = sorted(label for label in plan.why_not if label != OOD)
    return Judged(
        verdicts=verdicts,
        noise=found.noise,
        judged=len(plan.labels),
        contradicted=sum(len(labels) > 1 for labels in labels_of.values()),
        single=[gathered.classes[label] for label in inside if label in plan.single],
        disputed=[gathered.classes[label] for label in inside if label not in plan.single],
        warnings=found.warnings,
        notes=found.notes,
    )


def _plan(labels_of: Mapping[int, Mapping[int, int]], gathered: Gathered) -> _Plan:
    """Choose what can be judged: a label of which there are others on other images."""
    counts = Counter(next(iter(said)) for said in labels_of.values() if len(said) == 1)
    given = {label for said in labels_of.values() for label in said}
    enough = {label for label in given if counts[label] >= (_FEWEST_OOD if label == OOD else 2)}
    _require_two(enough, given, gathered)
    # By what images and classes are, not by where they were read: any form of a data set is judged
    # alike. Images of no class come last.
    order = sorted(enough - {OOD}, key=lambda label: gathered.classes[label])
    order += [OOD] * (OOD in enough)
    images = Counter(label for said in labels_of.values() for label in said)
    single = {label for label in given - enough if label != OOD and images[label] == 1}
    why_not = dict.fromkeys(given - enough, _DISPUTED)
    why_not |= dict.fromkeys(single, _SINGLE)
    if OOD in why_not:
        why_not[OOD] = _FEW_OOD
    classes = {label: number for number, label in enumerate(order)}
    pairs = [
        (image, label)
        for image in sorted(labels_of, key=lambda image: gathered.digests[image])
        for label in sorted(labels_of[image].keys() & enough, key=classes.__getitem__)
    ]
    clean = [pair for pair in pairs if len(labels_of[pair[0]]) == 1]
    others = [pair for pair in pairs if len(labels_of[pair[0]]) > 1]
    labels = [*clean, *others]
    times = [labels_of[image][label] for image, label in labels]
    return _Plan(labels, times, len(clean), classes, why_not, single)


def _require_two(enough: set[int], given: set[int], gathered: Gathered) -> None:
    inside = {label for label in given if label != OOD}
    if not given:
        raise _refusal(
            gathered,
            "not_labeled",
            f"None of the {len(gathered.names):,} images that were read has a label.",
        )
    if len(given) < 2:
        name = "no class" if given == {OOD} else repr(gathered.classes[next(iter(given))])
        raise _refusal(
            gathered,
            "one_class",
            f"All {len(gathered.given):,} labels are the same, {name}. Labels are judged by "
            "comparing classes with each other; add images of another class.",
        )
    if len(enough) >= 2:
        return
    if not enough and len(inside) > _NAMED:
        raise _refusal(
            gathered,
            "too_few",
            f"Each of the {len(inside):,} classes has a single image. Is it the right column? Say "
            "which one holds the labels with label_column.",
        )
    names = [repr(gathered.classes[label]) for label in sorted(inside)]
    shown = ", ".join(names[:_NAMED]) + (", …" if len(names) > _NAMED else "")
    raise _refusal(
        gathered,
        "too_few",
        f"Fewer than two classes have two images with no other label ({shown}). Labels are judged "
        "by comparing the images of classes with each other; add images.",
    )


def _refusal(gathered: Gathered, code: str, detail: str) -> Invalid:
    return Invalid(code, in_words_of(gathered.medium, detail))


@dataclass(frozen=True)
class _Found:
    by_label: Mapping[tuple[int, int], JudgedLabel]
    noise: "NoiseRate"
    warnings: list[str]
    notes: list[str]


def _judged(plan: _Plan, gathered: Gathered, work: Path, course: Eta) -> _Found:
    """Judge the labels of a plan; nothing is learned from images with several."""
    from models.features.chosen import chosen_features
    from models.relabeling.frozen import NoiseRate, judge_labels

    store, network = gathered.store, _NETWORKS[gathered.medium]
    assert store is not None
    images = np.array([image for image, _ in plan.labels], dtype=np.int64)
    labels = np.array([plan.classes[label] for _, label in plan.labels], dtype=np.int64)
    clean, classes = plan.clean, len(plan.classes)
    # Images with several labels are embedded once, behind the others.
    several, place = np.unique(images[clean:], return_inverse=True)
    out = work / "features.npy"
    _embed(store, np.concatenate([images[:clean], several]), network, out, course)
    course.begin("judging")
    features = chosen_features(
        np.load(out, mmap_mode="r"),
        labels[:clean],
        network,
        classes=classes,
        image_size=store.size,
        seed=_SEED,
    )
    rows = np.concatenate([np.arange(clean), clean + place]).astype(np.int64)
    partitions = _partitions(labels, clean, place)
    judgement = judge_labels(
        features.embeddings[rows] if len(several) else features.embeddings,
        labels,
        classes=classes,
        seed=_SEED,
        trained_on=np.arange(clean),
        partitions=partitions,
        progress=course.progress,
    )
    posterior = judgement.probabilities
    if len(several):
        times = np.array(plan.times[clean:], dtype=np.int64)
        judged, opinions = posterior[clean:], judgement.opinions[clean:]
        posterior[clean:] = together(judged, opinions, place, times)[place]
    wrong = np.clip(1 - posterior[np.arange(len(labels)), labels].astype(np.float64), 0, 1)
    differs = judgement.opinions.argmax(axis=1) != labels
    # Of the labels of one image one at most is right.
    certain = len(labels) - clean - len(several)
    return _Found(
        _verdicts(plan, gathered, labels, posterior, wrong),
        NoiseRate.of(wrong, differs, partitions[0], certain),
        _warnings(gathered.medium, judgement.opinions[:clean], labels[:clean]),
        list(features.notes),
    )


def _embed(store: Store, rows: Indices, network: str, out: Path, course: Eta) -> None:
    """Compute features; steps of what is fitted come first, then images, each with its own time."""
    from models.features.chosen import embed_rows

    total = len(rows)

    def progress(step: int, steps: int) -> None:
        if course.phase == "fitting" and steps == total:
            course.begin("features", total)
        course.progress(step, steps)
        if course.phase == "fitting" and step == steps:
            course.begin("features", total)

    course.begin("fitting")
    embed_rows(store, rows, network, {}, seed=_SEED, out=out, progress=progress)


def _partitions(labels: Indices, clean: int, place: Indices) -> list[Indices]:
    """Folds in which the labels of one image are together: the same was learned before each."""
    from models.relabeling.opinions import partitions_of

    return [np.append(one, one[place % clean]) for one in partitions_of(labels[:clean], _SEED)]


def _verdicts(
    plan: _Plan,
    gathered: Gathered,
    labels: Indices,
    posterior: Float32Array,
    wrong: "Float64Array",
) -> dict[tuple[int, int], JudgedLabel]:
    called = list(plan.classes)
    rows = np.arange(len(labels))
    # Of several labels of an image the given one may be the likeliest of all, as of one.
    rest = posterior.copy()
    rest[rows, labels] = -1
    proposed = rest.argmax(axis=1)
    found = {}
    for row, (image, label) in enumerate(plan.labels):
        given = Given(gathered.names[image], image, label)
        likely = float(posterior[row, proposed[row]])
        found[image, label] = JudgedLabel(
            given,
            float(wrong[row]),
            called[proposed[row]],
            likely,
            float(wrong[row]) + FIX_GAIN * likely,
        )
    return found


def _warnings(medium: Medium, opinions: Float32Array, labels: Indices) -> list[str]:
    """Say that examples tell next to nothing of the labels, if so."""
    skill = Skill.of(float((opinions.argmax(axis=1) == labels).mean()), labels)
    if not skill.is_hardly_better:
        return []
    said = (
        f"By its picture alone the given label is guessed for {100 * skill.accuracy:.1f} % of "
        f"{skill.count:,} images, and always naming the most frequent class would do so for "
        f"{100 * skill.chance:.1f} %: what is listed means little. Either these classes cannot be "
        "told apart by what the network sees, or most labels are wrong, or there are too few "
        "images."
    )
    return [in_words_of(medium, said)]
