import type { Rect } from "./geometry";

/** What can be said of a box besides its class. */
export const FLAGS = ["occluded", "truncated", "difficult", "crowd"] as const;
export type Flag = (typeof FLAGS)[number];

/** The numbers of a file that a box came from, letter by letter. */
export type GivenNumbers = { format: string; values: string[] };

/** What else is said of a box, such as a file that it came in: values by name. */
export type Attributes = Readonly<Record<string, string | number | boolean>>;

/** A box as answers hold it; in pixels of the image, from the edges of its first ones. */
export type Box = Rect & { class_id: number } & Record<Flag, boolean> & {
    origin: "drawn" | "kept" | "adjusted" | "imported";
    /** Which proposal it was made of. */
    proposal: number | null;
    given: GivenNumbers | null;
    /** Left out where there are none. */
    attributes?: Attributes;
  };

/** As the server takes a box: what is as usual may be left out. */
export type BoxIn = Rect & { class_id: number } & Partial<Omit<Box, keyof Rect | "class_id">>;

export type BoxesLabel = { type: "boxes"; boxes: Box[]; threshold: number | null };

/** What the model takes for an object, or, in reviews, another person; nobody has a score then. */
export type Proposal = Rect & {
  class_id: number;
  score: number;
  said?: true;
  attributes?: Attributes;
};

/** A box on the page; `id` tells it from the others as long as the page is open. */
export type Drawn = Box & { id: number };

/** All that undo brings back. */
export type Doc = { boxes: readonly Drawn[]; rejected: ReadonlySet<number> };

/** What is chosen: a box by its id, or a proposal by its place in the list. */
export type Chosen = { kind: "box"; id: number } | { kind: "proposal"; index: number };

/** What there is to tell of the last step. */
export type Notice =
  | { say: "too_small" | "outside" | "not_empty" | "no_class" | "nothing_copied" }
  /** `count`: suggestions that are undecided. */
  | { say: "none_to_send"; count: number }
  | { say: "small"; w: number; h: number }
  | { say: "undecided" | "kept" | "clipped" | "before" | "removed"; count: number }
  /** `left`: how many were not. */
  | { say: "added"; count: number; left: number };

/** What was drawn, as it is kept; or what was said, as if it had not been. */
export type Made = { boxes: readonly Box[]; rejected: readonly number[] } | BoxesLabel;

export const EMPTY: Doc = { boxes: [], rejected: new Set() };

/** A box of which only the place and the class are known. */
export function boxOf(rect: Rect, classId: number): Box {
  const { x, y, w, h } = rect;
  return {
    class_id: classId,
    ...{ x, y, w, h },
    ...{ occluded: false, truncated: false, difficult: false, crowd: false },
    origin: "drawn",
    proposal: null,
    given: null,
  };
}

/** What is said of a box apart from where it is and what: this goes wherever the box goes. */
export const saidOfBox = ({ attributes }: Pick<Box, "attributes">): Pick<Box, "attributes"> =>
  attributes && Object.keys(attributes).length > 0 ? { attributes } : {};

/** A box with what the server may leave out. */
export const filled = ({ class_id, ...box }: BoxIn): Box => ({ ...boxOf(box, class_id), ...box });

const isLabel = (label: unknown): label is { type: "boxes"; boxes: BoxIn[]; threshold?: number } =>
  typeof label === "object" && label !== null && (label as { type?: string }).type === "boxes";

/** The boxes of a label of any type; null where it is none of boxes. */
export const boxesOf = (label: unknown): Box[] | null =>
  isLabel(label) ? label.boxes.map(filled) : null;

/** The lowest score that whoever gave a label had in view. */
export const thresholdOf = (label: unknown): number | null =>
  isLabel(label) ? (label.threshold ?? null) : null;

/** Which proposals an earlier answer has rejected: those in view that no box was made of. */
export function rejectedBy(label: BoxesLabel, proposals: readonly Proposal[]): number[] {
  const { threshold } = label;
  if (threshold === null) return [];
  const used = new Set(label.boxes.map((box) => box.proposal));
  return proposals.flatMap(({ score }, index) =>
    score >= threshold && !used.has(index) ? [index] : [],
  );
}
