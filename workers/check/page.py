"""The report for people: one HTML file that needs nothing else, and asks nobody for anything."""

import base64
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from typing import Final

from core.media.nouns import in_words_of, noun
from core.states import Medium
from workers.check.gather import MOST_DETAILS, Gathered
from workers.check.judging import Judged, JudgedLabel
from workers.check.tables import NO_CLASS, class_name

_MOST_CONTRADICTED: Final = 100
_MOST_PAIRS: Final = 12
_MOST_NAMED: Final = 20
_MOST_FILES: Final = 5

_STYLE: Final = """
:root { color-scheme: light dark; --ink: #1a2130; --soft: #5a6475; --paper: #f5f6f8;
  --card: #fff; --line: #dde1e8; --bad: #b3261e; --good: #1b6e3c; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8ebf1; --soft: #a3adbd; --paper: #14171d;
  --card: #1e232c; --line: #343b48; --bad: #ff9d94; --good: #7fd6a0; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
main { max-width: 1100px; margin: 0 auto; padding: 24px 16px 64px; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 8px; }
h2 { font-size: 1.2rem; margin: 40px 0 8px; }
p { max-width: 70ch; margin: 8px 0; }
.soft { color: var(--soft); }
.lead { font-size: 1.15rem; }
.warning { border-left: 4px solid var(--bad); padding: 4px 12px; }
.grid { display: grid; gap: 16px; margin-top: 16px;
  grid-template-columns: repeat(auto-fill, minmax(min(220px, 100%), 1fr)); }
article { background: var(--card); border: 1px solid var(--line); border-radius: 10px;
  overflow: hidden; display: flex; flex-direction: column; }
article img { display: block; width: 100%; height: 200px; object-fit: contain;
  background: var(--paper); image-rendering: auto; }
article pre { margin: 0; padding: 10px 12px; max-height: 16em; overflow: auto; font: inherit;
  white-space: pre-wrap; background: var(--paper); border-bottom: 1px solid var(--line); }
.texts { grid-template-columns: repeat(auto-fill, minmax(min(320px, 100%), 1fr)); }
article div { padding: 10px 12px; }
.given { color: var(--bad); }
.proposed { color: var(--good); font-weight: 600; }
.file { font-size: .82rem; color: var(--soft); }
.number { font-size: .82rem; color: var(--soft); white-space: nowrap; }
ul { padding-left: 20px; }
table { border-collapse: collapse; }
th, td { text-align: left; padding: 4px 16px 4px 0; border-bottom: 1px solid var(--line); }
td:last-child, th:last-child { text-align: right; padding-right: 0; }
"""


@dataclass(frozen=True)
class Page:
    """What a page shows.

    Attributes:
        gathered: What was read.
        judged: What was said of it.
        share: A label is listed if it is wrong with this probability at least.
        title: What was checked.
        pictures: WebP by image, of what is shown; or what it says, of texts.
        tables: Names of the files that hold all of it.
    """

    gathered: Gathered
    judged: Judged
    share: float
    title: str
    pictures: Mapping[int, bytes | str]
    tables: Sequence[str]

    def html(self, shown: Sequence[JudgedLabel], contradicted: Sequence[int]) -> str:
        """The whole page.

        Args:
            shown: Of the list, those that are shown.
            contradicted: Images with several labels that are shown.
        """
        body = "\n".join(
            [
                *self._summary(),
                *self._several(contradicted),
                *self._list(shown),
                *self._pairs(),
                *self._rest(),
            ]
        )
        # No address but those of the pictures in it: nothing is asked for, whatever names hold.
        return (
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
            "img-src data:; style-src 'unsafe-inline'\">\n"
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>{escape(f'Labels of {self.title}')}</title>\n<style>{_STYLE}</style>\n"
            f"</head>\n<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
        )

    def _summary(self) -> Iterator[str]:
        judged, noise = self.judged, self.judged.noise
        listed = judged.listed(self.share)
        yield f"<h1>Which labels of {escape(self.title)} are wrong?</h1>"
        yield f'<p class="lead">{escape(how_many(judged))}</p>'
        yield f"<p>{escape(how_sure(listed))}</p>"
        for warning in judged.warnings:
            yield f'<p class="warning">{escape(warning)}</p>'
        if noise.high > 0 and listed:
            said = self._say(
                "Nothing was changed. A label is judged by pictures that other labels describe, "
                "never by itself; difficult pictures that are labeled rightly are among those "
                "listed, so look before you change one. Every label is in"
            )
            yield f'<p class="soft">{said} {escape(" and ".join(self.tables))}.</p>'

    def _several(self, images: Sequence[int]) -> Iterator[str]:
        if not self.judged.contradicted:
            return
        yield f"<h2>{self._say('The same picture with several labels')}</h2>"
        count = self.judged.contradicted
        sentence = (
            f"{_pictures(count)} {_has(count)} several labels, of copies or of several annotators, "
            "so at least one label of each is wrong for certain, unless a picture can be of "
            f"several classes.{_first(len(images), count)}"
        )
        yield f"<p>{self._say(sentence)}</p>"
        by_image: dict[int, list[JudgedLabel]] = {image: [] for image in images}
        for one in self.judged.verdicts:
            if one.given.image in by_image:
                by_image[one.given.image].append(one)
        yield self._grid
        for image, verdicts in by_image.items():
            said: dict[int, list[JudgedLabel]] = {}
            for one in verdicts:
                said.setdefault(one.given.label, []).append(one)
            labels = "".join(
                f"<li><b>{self._name(label)}</b>{_right(ones[0])}"
                f'<br><span class="file">{_files([one.given.file for one in ones])}</span></li>'
                for label, ones in said.items()
            )
            yield f"<article>{self._picture(image)}<div><ul>{labels}</ul></div></article>"
        yield "</div>"

    def _list(self, shown: Sequence[JudgedLabel]) -> Iterator[str]:
        listed = distinct(self.judged.listed(self.share))
        yield "<h2>Probably wrong, most worth a look first</h2>"
        if not listed:
            yield "<p>None.</p>"
            return
        if len(shown) < len(listed):
            yield f"<p>The first {len(shown):,} of {len(listed):,}.</p>"
        files: dict[tuple[int, int], list[str]] = {}
        for one in self.judged.verdicts:
            files.setdefault((one.given.image, one.given.label), []).append(one.given.file)
        yield self._grid
        for rank, one in enumerate(shown, 1):
            given, proposed = one.given, one.proposed
            assert one.wrong is not None
            assert one.likely is not None
            assert proposed is not None
            yield (
                f"<article>{self._picture(given.image)}<div>"
                f'<span class="number">{rank}. wrong: {_percent(one.wrong)}</span><br>'
                f'labeled <b class="given">{self._name(given.label)}</b><br>'
                f'rather <span class="proposed">{self._name(proposed)}</span> '
                f'<span class="number">({_percent(one.likely)})</span><br>'
                f'<span class="file">{_files(files[given.image, given.label])}</span>'
                "</div></article>"
            )
        yield "</div>"

    def _pairs(self) -> Iterator[str]:
        pairs = Counter(
            (one.given.label, one.proposed) for one in distinct(self.judged.listed(self.share))
        )
        if not pairs:
            return
        yield "<h2>What is taken for what</h2>\n<table>"
        yield "<tr><th>labeled</th><th>rather</th><th>how many</th></tr>"
        for (given, proposed), count in pairs.most_common(_MOST_PAIRS):
            assert proposed is not None
            yield (
                f"<tr><td>{self._name(given)}</td><td>{self._name(proposed)}</td>"
                f"<td>{count:,}</td></tr>"
            )
        yield "</table>"

    def _rest(self) -> Iterator[str]:
        lines = [*left_aside(self.gathered, self.judged), *self.gathered.notes, *self.judged.notes]
        if lines:
            yield "<h2>What else is to be known</h2>\n<ul>"
            for line in lines:
                yield f"<li>{escape(line)}</li>"
            yield "</ul>"

    def _name(self, label: int) -> str:
        name = class_name(self.gathered, label)
        return "none of the classes" if name == NO_CLASS else escape(name)

    def _say(self, sentence: str) -> str:
        return in_words_of(self.gathered.medium, sentence)

    @property
    def _grid(self) -> str:
        is_text = self.gathered.medium is Medium.TEXT
        return f'<div class="grid{" texts" if is_text else ""}">'

    def _picture(self, image: int) -> str:
        content = self.pictures.get(image)
        name = escape(self.gathered.names[image], quote=True)
        if isinstance(content, str):
            return f'<pre dir="auto" tabindex="0">{escape(content)}</pre>'
        if content is None:
            return f'<img alt="{name}">'
        data = base64.b64encode(content).decode()
        return f'<img loading="lazy" alt="{name}" src="data:image/webp;base64,{data}">'


def how_many(judged: Judged) -> str:
    """How many labels are wrong, in words."""
    noise, count = judged.noise, judged.judged
    wrong, low, high = (round(share * count) for share in (noise.rate, noise.low, noise.high))
    if high == 0:
        return f"None of {count:,} labels seems to be wrong."
    return (
        f"About {wrong:,} of {count:,} labels are wrong ({_percent(noise.rate)}): probably not "
        f"fewer than {low:,}, and not more than {high:,}."
    )


def how_sure(listed: Sequence[JudgedLabel]) -> str:
    """How many are listed, and how many of these are expected to be wrong, in words."""
    found = distinct(listed)
    if not found:
        return "No label is so probably wrong that a look at it would pay."
    wrong = sum(one.wrong or 0.0 for one in found)
    right = sum(one.likely or 0.0 for one in found)
    return (
        f"{len(found):,} {'is' if len(found) == 1 else 'are'} listed as probably wrong. Expect "
        f"about {round(wrong):,} of them to be wrong indeed, and about {round(right):,} to be what "
        "is proposed instead."
    )


def left_aside(gathered: Gathered, judged: Judged) -> Iterator[str]:
    """What was not judged, and why, a line for each reason."""
    medium, words = gathered.medium, noun(gathered.medium)
    files, of_files = partial(_files_count, medium), partial(_of_files, medium)
    if count := len(gathered.unlabeled):
        yield f"{files(count)} without a label: {_some(gathered.unlabeled, count)}."
    if judged.single:
        yield (
            f"{_classes(len(judged.single))} {_has(len(judged.single))} "
            f"a single {words.one}, of which nobody could say whether it is right; it may be a "
            f"slip of the pen: {_some(judged.single, len(judged.single))}."
        )
    if judged.disputed:
        yield (
            f"{_classes(len(judged.disputed))} not judged, as fewer than two {words.many} have "
            f"that label and no other: {_some(judged.disputed, len(judged.disputed))}."
        )
    tally = gathered.tally
    for reason, count in sorted(tally.refused_by_reason.items(), key=lambda one: -one[1]):
        names = [one["name"] for one in tally.refused_examples if one["reason"] == reason]
        yield f"{files(count)} not read, {reason}: {_some(names, count)}."
    for reason, count in tally.left_out_by_reason.items():
        yield f"{files(count)} left out: {reason}."
    for reason, count in Counter(gathered.left_out.values()).items():
        names = [name for name, why in gathered.left_out.items() if why == reason]
        yield f"{files(count)} not read, {reason}: {_some(names, count)}."
    for reason, count in tally.noted.items():
        details = gathered.noted.get(reason, [])
        more = "; …" if len(details) > MOST_DETAILS else ""
        shown = "; ".join(details[:MOST_DETAILS]) + more
        yield f"{of_files(count)}: {reason}{': ' if shown else ''}{shown}."
    if tally.duplicates:
        by = "letter by letter" if medium is Medium.TEXT else "byte by byte"
        yield f"{files(tally.duplicates)} the same as another one, {by}."


def distinct(verdicts: Sequence[JudgedLabel]) -> list[JudgedLabel]:
    """The first of those that are of copies of the same image with the same label."""
    return list({(one.given.image, one.given.label): one for one in reversed(verdicts)}.values())[
        ::-1
    ]


def contradicted_images(judged: Judged) -> list[int]:
    """Images with several labels that a page shows, those most worth a look first."""
    found = dict.fromkeys(one.given.image for one in judged.verdicts if one.others)
    return list(found)[:_MOST_CONTRADICTED]


def _right(one: JudgedLabel) -> str:
    if one.wrong is None:
        return ""
    return f' <span class="number">right: {_percent(1 - one.wrong)}</span>'


def _first(shown: int, count: int) -> str:
    return f" These are the first {shown:,}." if shown < count else ""


def _has(count: int) -> str:
    return "has" if count == 1 else "have"


def _pictures(count: int) -> str:
    return "One picture" if count == 1 else f"{count:,} pictures"


def _classes(count: int) -> str:
    return f"{count:,} {'class' if count == 1 else 'classes'}"


def _files_count(medium: Medium, count: int) -> str:
    return f"{_counted(medium, count)} {'is' if count == 1 else 'are'}"


def _of_files(medium: Medium, count: int) -> str:
    return f"Of {_counted(medium, count)}"


def _counted(medium: Medium, count: int) -> str:
    """Of texts a file may hold many."""
    if medium is Medium.TEXT:
        return noun(medium).counted(count)
    return "1 file" if count == 1 else f"{count:,} files"


def _files(names: Sequence[str]) -> str:
    names = list(dict.fromkeys(names))
    return escape(_some(names, len(names), _MOST_FILES))


def _some(names: Sequence[str], count: int, most: int = _MOST_NAMED) -> str:
    shown = ", ".join(names[:most])
    return f"{shown}, …" if count > most else shown


def _percent(share: float) -> str:
    if 0 < share < 0.01:
        return "under 1 %"
    # Nothing is certain by its picture.
    if share > 0.99:
        return "over 99 %"
    return f"{100 * share:.0f} %"
