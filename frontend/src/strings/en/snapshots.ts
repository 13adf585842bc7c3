import { locale } from "../language";
import { plural } from "./words";

const count = (value: number) => value.toLocaleString(locale);

export const snapshots = {
  title: "Snapshots",
  hint: "What every image counts as at one moment, kept under a name: to export it again as it was, to compare it with later, or to hand it on with a fingerprint that proves it.",
  none: "No snapshot yet.",
  brief: (of: number) => plural(of, "snapshot", "snapshots"),
  take: "Take a snapshot",
  takeTitle: "Take a snapshot",
  takeText:
    "It holds all images of the project with what they count as now. Labeling goes on meanwhile, and nothing of that gets in.",
  name: "Name",
  nameHint: "Such as release 1.0: letters, digits, spaces, dots, plus, hyphens.",
  takenAt: (time: string, author: string | null) => (author ? `${time}, by ${author}` : time),
  parts: {
    examples: (of: number) => plural(of, "image", "images"),
    labeled: (of: number) => `${count(of)} labeled`,
    no_objects: (of: number) => `nothing in ${count(of)} of them`,
    ood: (of: number, none: string) => `${count(of)} ${none.toLowerCase()}`,
    unsure: (of: number) => `${count(of)} unsure`,
    unlabeled: (of: number) => `${count(of)} without a label`,
    evaluation: (of: number) => `${count(of)} to evaluate on`,
    by_model: (of: number) => `${count(of)} labeled by the model`,
    withdrawn: (of: number) => `${count(of)} withdrawn since`,
  },
  filtered: "A part of the project, by filters",
  digest: "Fingerprint",
  digestHint:
    "SHA-256 of every image with its label: two snapshots with the same one say the same.",
  copyDigest: (name: string) => `Copy the fingerprint of ${name}`,
  compare: "Compare",
  compareThis: (name: string) => `Compare ${name}`,
  compareTitle: "What changed",
  from: "From",
  to: "To",
  sameOne: "Choose two different snapshots.",
  same: "They say the same: the fingerprints are equal.",
  figures: {
    added: "Added",
    gone: "Gone",
    relabeled: "Count as something else",
    other_origin: "Same label, by somebody else",
    unchanged: "Unchanged",
  },
  renamed: (before: string, after: string) => `The class “${before}” is called “${after}” now.`,
  flows: "What images counted as, and count as now",
  before: "Before",
  after: "After",
  images: "Images",
  nothing: "no label",
  labeled: "labeled",
  absent: "not in it",
  verdicts: { unsure: "unsure", skip: "skipped" } as Record<string, string>,
  origins: { person: "person", model: "model", import: "import", truth: "came with it" } as Record<
    string,
    string
  >,
  by: (said: string, origin: string) => `${said} (${origin})`,
  became: (name: string, before: string, after: string) => `${name}: ${before} → ${after}`,
  removeThis: (name: string) => `Remove ${name}`,
  removeTitle: (name: string) => `Remove the snapshot ${name}?`,
  removeText: "What it says cannot be brought back. Labels stay as they are.",
  exportAs: "Labels as of",
  exportAsHint: "Labels and votes are those of the snapshot.",
  now: "Now",
};
