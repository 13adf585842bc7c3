import type { LabelStatus, Lease, LeaseItem } from "../../../api/types";
import type { Entry } from "../queue/model";
import type { Pause } from "../queue/pace";

/** An image of the grid: what the model takes it for, and whether its verdict was taken back. */
export type Tile = Entry & {
  /** Null while there is no model. */
  classId: number | null;
  probability: number | null;
  /** The probability of being in-distribution; null where nobody knows. */
  inside: number | null;
  /** The image that stands for all that show the same picture; null where there is no other. */
  picture: number | null;
  reopened: boolean;
};

export type GroupKind = "back" | "class" | "ood" | "none";

/** Tiles that can probably get the same verdict; `back` holds those whose verdict was taken back. */
export type Group = { key: string; kind: GroupKind; classId: number | null; tiles: Tile[] };

export type GridView = {
  phase: "loading" | "working" | "waiting" | "failed";
  /** What is on screen, verdicts included, in the order in which it came. */
  page: Tile[];
  /** The next ones. */
  upcoming: Tile[];
  /** What was judged together, the latest last; undo takes one back at a time. */
  history: Tile[][];
  /** What was taken back last, until the next verdict. */
  undone: Tile[];
  status: LabelStatus | null;
  /** Whether there is nothing here because another tab of mine holds it. */
  elsewhere: boolean;
  /** My own answers to this project, those of this visit included. */
  mine: { today: number; total: number } | null;
  paused: Pause | null;
  error: Error | null;
};

export const NEW: GridView = {
  phase: "loading",
  page: [],
  upcoming: [],
  history: [],
  undone: [],
  status: null,
  elsewhere: false,
  mine: null,
  paused: null,
  error: null,
};

export const idOf = (tile: Tile): number => tile.subject.query_id;

export const isDone = (tile: Tile): boolean => tile.given !== null && !tile.reopened;

const toTile = (item: LeaseItem, leaseToken: string | null): Tile => ({
  subject: item,
  leaseToken,
  given: null,
  classId: item.predicted_class_id,
  probability: item.probability,
  inside: item.in_probability,
  picture: item.duplicates_of,
  reopened: false,
});

export const tilesOf = (lease: Lease): Tile[] =>
  lease.items.map((item) => toTile(item, lease.lease_token));
