import { draftsChanged } from "../unsent";
import type { Box } from "./model";

/** What stays from one image to the next: of a visit, or of this device. */
export type Memory = {
  /** The class that the next box is drawn of. */
  armed: number | null;
  /** Proposals below this score are only dots. */
  threshold: number;
  /** Boxes that were copied, in pixels. */
  copied: readonly Box[];
  /** Those of the last image that had any, to begin with. */
  last: readonly Box[];
  crosshair: boolean;
};

export const USUAL_THRESHOLD = 0.3;
/** Proposals below this score are not even dots: of those a model has a hundred on every image. */
export const LEAST_DOT = 0.1;

const memories = new Map<string, Memory>();

export function memoryOf(projectId: number, userId: number): Memory {
  const name = `${userId}:${projectId}`;
  const known = memories.get(name);
  if (known) return known;
  const fresh = { armed: null, threshold: USUAL_THRESHOLD, copied: [], last: [], crosshair: true };
  memories.set(name, fresh);
  return fresh;
}

type Draft = {
  boxes: Box[];
  rejected: number[];
  /** Something else was said: it is off the image, and can be brought back. */
  isLeft?: boolean;
};

const keyOf = (draft: string): string => `karat:boxes:${draft}`;

/** What was drawn on an image and not sent: a reload must not lose it. */
export function draftOf(draft: string): Draft | null {
  try {
    const kept = sessionStorage.getItem(keyOf(draft));
    return kept ? (JSON.parse(kept) as Draft) : null;
  } catch {
    return null;
  }
}

type Made = { boxes: readonly (Box & { id?: number })[]; rejected: Iterable<number> };

/** Null: it has been sent. */
export function keepDraft(draft: string, doc: Made | null, isLeft = false): void {
  try {
    if (doc === null) sessionStorage.removeItem(keyOf(draft));
    else {
      const boxes = doc.boxes.map(({ id: _, ...box }) => box);
      const kept: Draft = { boxes, rejected: [...doc.rejected], isLeft };
      sessionStorage.setItem(keyOf(draft), JSON.stringify(kept));
    }
  } catch {
    // Storage is full or refused: the page still has it.
  }
  draftsChanged();
}

/** Whether something was drawn and is not sent. */
export const isUnsent = (draft: string): boolean => draftOf(draft) !== null;
