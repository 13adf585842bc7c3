import { alternatives } from "./alternatives";
import { isSameRect, type Rect } from "./geometry";
import type { Placed } from "./hit";
import {
  type Box,
  type BoxesLabel,
  boxOf,
  type Chosen,
  type Doc,
  type Drawn,
  type Made,
  type Proposal,
  rejectedBy,
  saidOfBox,
} from "./model";

let lastId = 0;
const newId = (): number => {
  lastId += 1;
  return lastId;
};

/** Boxes as a page begins with them. */
export const docOf = (boxes: readonly Box[], rejected: Iterable<number> = []): Doc => ({
  boxes: boxes.map((box) => ({ ...box, id: newId() })),
  rejected: new Set(rejected),
});

/** What was made before. */
export const docFrom = (made: Made, proposals: readonly Proposal[]): Doc =>
  docOf(made.boxes, "rejected" in made ? made.rejected : rejectedBy(made, proposals));

export const boxIn = (doc: Doc, id: number): Drawn | undefined =>
  doc.boxes.find((box) => box.id === id);

/** Further boxes; they lie over the others. */
export function added(doc: Doc, boxes: readonly Box[]): [Doc, Drawn[]] {
  const fresh = boxes.map((box) => ({ ...box, id: newId() }));
  return [{ ...doc, boxes: [...doc.boxes, ...fresh] }, fresh];
}

/** Without boxes of classes that are gone; the same document where there are none. */
export function ofClasses(doc: Doc, classes: ReadonlySet<number>): Doc {
  const boxes = doc.boxes.filter(({ class_id }) => classes.has(class_id));
  return boxes.length === doc.boxes.length ? doc : { ...doc, boxes };
}

/** A box changed; the same document where nothing is. */
export function changed(doc: Doc, id: number, change: Partial<Box>): Doc {
  const box = boxIn(doc, id);
  if (!box) return doc;
  const isNew = Object.entries(change).some(([name, value]) => box[name as keyof Box] !== value);
  if (!isNew) return doc;
  const next = { ...box, ...change };
  return { ...doc, boxes: doc.boxes.map((one) => (one === box ? next : one)) };
}

/** A box laid elsewhere. The numbers that it came with are no longer its own. */
export function placed(doc: Doc, id: number, { x, y, w, h }: Rect): Doc {
  const box = boxIn(doc, id);
  if (!box || isSameRect(box, { x, y, w, h })) return doc;
  const origin = box.proposal === null ? "drawn" : "adjusted";
  return changed(doc, id, { x, y, w, h, given: null, origin });
}

/** Without a box. A proposal that it was made of is rejected with it. */
export function removed(doc: Doc, id: number): Doc {
  const box = boxIn(doc, id);
  if (!box) return doc;
  const rejected = new Set(doc.rejected);
  if (box.proposal !== null) rejected.add(box.proposal);
  return { boxes: doc.boxes.filter((one) => one !== box), rejected };
}

export const rejecting = (doc: Doc, index: number): Doc => ({
  ...doc,
  rejected: new Set([...doc.rejected, index]),
});

/** Proposals taken over as they are. */
export function keeping(
  doc: Doc,
  proposals: readonly Proposal[],
  indices: readonly number[],
): [Doc, Drawn[]] {
  const boxes = indices.flatMap((index): Box[] => {
    const proposal = proposals[index];
    if (!proposal) return [];
    const made = { ...boxOf(proposal, proposal.class_id), ...saidOfBox(proposal) };
    return [{ ...made, origin: "kept", proposal: index }];
  });
  const [next, fresh] = added(doc, boxes);
  const rejected = new Set([...doc.rejected].filter((index) => !indices.includes(index)));
  return [{ ...next, rejected }, fresh];
}

/** Proposals that nobody has decided on, by falling score, and whether the slider shows them. */
export function openProposals(
  doc: Doc,
  proposals: readonly Proposal[],
  classes: ReadonlySet<number>,
): number[] {
  const used = new Set(doc.boxes.flatMap(({ proposal }) => proposal ?? []));
  // An object is one thing: what else it was taken for is decided with it.
  for (const index of [...used]) {
    for (const other of alternatives(proposals).get(index) ?? []) used.add(other);
  }
  return proposals.flatMap(({ class_id }, index) =>
    used.has(index) || doc.rejected.has(index) || !classes.has(class_id) ? [] : [index],
  );
}

export const keyOfChosen = (chosen: Chosen | null): string | null => {
  if (chosen === null) return null;
  return chosen.kind === "box" ? `b${chosen.id}` : `p${chosen.index}`;
};

export const chosenOfKey = (key: string): Chosen =>
  key.startsWith("b")
    ? { kind: "box", id: Number(key.slice(1)) }
    : { kind: "proposal", index: Number(key.slice(1)) };

/** Everything that can be chosen. */
export function placesOf(
  doc: Doc,
  proposals: readonly Proposal[],
  shown: readonly number[],
): Placed[] {
  return [
    ...doc.boxes.map((box) => ({ key: `b${box.id}`, rect: box })),
    ...shown.flatMap((index) => {
      const rect = proposals[index];
      return rect ? [{ key: `p${index}`, rect }] : [];
    }),
  ];
}

/**
 * What is sent: with what became of each proposal.
 *
 * @param threshold The lowest score that was in view; null where there was nothing to see.
 */
export function labelOf(
  doc: Doc,
  proposals: readonly Proposal[],
  threshold: number | null,
): BoxesLabel {
  const boxes = doc.boxes.map(({ id: _, ...box }): Box => {
    const proposal = box.proposal === null ? undefined : proposals[box.proposal];
    if (!proposal) return box;
    const isSame = isSameRect(box, proposal) && box.class_id === proposal.class_id;
    return { ...box, origin: isSame ? "kept" : "adjusted" };
  });
  return { type: "boxes", boxes, threshold };
}
