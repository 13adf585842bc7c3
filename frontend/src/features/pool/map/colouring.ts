import type { ColouredBy } from "../../../api/embeddingMap";
import type { ExampleState, LabelClass } from "../../../api/types";
import { traitsOf } from "../../../tasks/traits";
import { type Colour, rgba } from "../../../ui/map/paint";
import type { Palette } from "../../../ui/map/scene";

export const COLOURINGS: ColouredBy[] = [
  "state",
  "predicted",
  "purity",
  "informativeness",
  "round",
  "selection",
];
const OF_ROWS: ColouredBy[] = ["selection", "state", "round"];

/** Those that say something: no model scores what a job chooses from, and of other examples none are chosen. */
export const colouringsOf = (task: string, hasSelection: boolean): ColouredBy[] =>
  traitsOf({ task }).isCurated
    ? OF_ROWS.filter((one) => hasSelection || one !== "selection")
    : COLOURINGS.filter((one) => one !== "selection");

/** What the server sends of a tile; docs/api.md has the layout. */
export type Column =
  | { kind: "categories"; values: Int32Array }
  | { kind: "scores"; values: Float32Array };

const HEAD = 16;
const SCORES = 1;

export function decodeColumn(buffer: ArrayBuffer): Column {
  const type = new Uint32Array(buffer, 0, 4)[3];
  if (type === SCORES) return { kind: "scores", values: new Float32Array(buffer, HEAD) };
  return { kind: "categories", values: new Int32Array(buffer, HEAD) };
}

/** Nothing is known of an image; `api/embedding_map/colours.py` has the same numbers. */
export const NONE = -1;
const STATE_OF: Record<number, ExampleState> = {
  [NONE]: "unlabeled",
  [-2]: "queried",
  [-3]: "ood",
  [-4]: "unsure",
  [-5]: "held_out",
  0: "labeled",
};
/** A label of boxes that has none. */
const NOTHING = -6;
const STATE_ORDER: ExampleState[] = [
  "labeled",
  "ood",
  "unsure",
  "queried",
  "held_out",
  "unlabeled",
];
/** Of what a job has chosen from: which rows it keeps. */
const KEPT = 1;
const DROPPED = 0;
/** Of what nothing is known others shine through. */
const QUIET_ALPHA = 95;

export function parseColour(text: string): Colour {
  const hex = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(text);
  if (hex) return hex.slice(1).map((part) => Number.parseInt(part, 16)) as Colour;
  const [red = 128, green = 128, blue = 128] = (text.match(/\d+(\.\d+)?/g) ?? []).map(Number);
  return [red, green, blue];
}

// Blue for the least, gold for the most: told apart in both themes, and without red or green.
const RAMP: Colour[] = [
  [46, 104, 214],
  [104, 148, 196],
  [150, 152, 150],
  [204, 152, 72],
  [226, 132, 10],
];

/** The colour of a share from 0 to 1 of a range. */
export function ramp(share: number): Colour {
  const place = Math.min(1, Math.max(0, share)) * (RAMP.length - 1);
  const index = Math.min(RAMP.length - 2, Math.floor(place));
  const from = RAMP[index] as Colour;
  const to = RAMP[index + 1] as Colour;
  return from.map((value, part) =>
    Math.round(value + (place - index) * ((to[part] as number) - value)),
  ) as Colour;
}

export const css = ([red, green, blue]: Colour): string => `rgb(${red} ${green} ${blue})`;

/** One entry of the legend: what it is called and looks like, and what it stands for. */
export type Entry = { value: number; name: string; colour: Colour; count: number };

type Naming = {
  classes: LabelClass[];
  palette: Palette;
  states: Record<ExampleState, string>;
  nothing: string;
  notScored: string;
  notAsked: string;
  round: (number: number) => string;
  kept: string;
  dropped: string;
  notChosenFrom: string;
};

/** What the categories of a column are called and look like, the most telling first. */
export function entriesOf(by: ColouredBy, columns: Column[], naming: Naming): Entry[] {
  const counts = new Map<number, number>();
  for (const { kind, values } of columns) {
    if (kind !== "categories") continue;
    for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  const last = Math.max(1, ...counts.keys());
  const { classes, palette } = naming;
  const quiet = palette.points;
  const known = new Map(classes.map((one, place) => [one.id, { ...one, place }]));
  const look = (value: number): { name: string; colour: Colour; order: number } => {
    if (by === "round") {
      if (value === NONE) return { name: naming.notAsked, colour: quiet, order: 1e9 };
      return { name: naming.round(value), colour: ramp(value / last), order: value };
    }
    if (by === "selection") {
      if (value === KEPT) return { name: naming.kept, colour: ramp(1), order: 0 };
      if (value === DROPPED) return { name: naming.dropped, colour: ramp(0.25), order: 1 };
      return { name: naming.notChosenFrom, colour: quiet, order: 2 };
    }
    const one = known.get(value);
    if (one) return { name: one.name, colour: parseColour(one.colour), order: one.place };
    if (by === "predicted") return { name: naming.notScored, colour: quiet, order: 1e9 };
    if (value === NOTHING) {
      const colour = parseColour(palette.nothing);
      return { name: naming.nothing, colour, order: 1e6 + 0.5 };
    }
    const state = STATE_OF[value] ?? "labeled";
    const order = 1e6 + STATE_ORDER.indexOf(state);
    const colours: Partial<Record<ExampleState, Colour>> = {
      labeled: parseColour(palette.gold),
      ood: parseColour(palette.ink),
      unsure: [168, 85, 200],
      queried: parseColour(palette.queued),
      held_out: [120, 160, 170],
    };
    return { name: naming.states[state], colour: colours[state] ?? quiet, order };
  };
  return [...counts]
    .map(([value, count]) => ({ value, count, ...look(value) }))
    .sort((one, other) => one.order - other.order)
    .map(({ value, name, colour, count }) => ({ value, name, colour, count }));
}

/** The range that scores are shown in: without the outermost, which would take all colours. */
export function rangeOf(columns: Column[]): [number, number] | null {
  const found = columns.flatMap(({ kind, values }) =>
    kind === "scores" ? [...values].filter(Number.isFinite) : [],
  );
  if (found.length === 0) return null;
  found.sort((one, other) => one - other);
  const at = (share: number) => found[Math.round(share * (found.length - 1))] as number;
  return [at(0.02), at(0.98)];
}

/** The colours of a tile, in its order; 0 for what the legend hides. */
export function coloursOf(
  column: Column,
  entries: Entry[],
  hidden: ReadonlySet<number>,
  range: [number, number] | null,
  quiet: Colour,
): Uint32Array {
  const colours = new Uint32Array(column.values.length);
  if (column.kind === "categories") {
    const inks = new Map(
      entries.map(({ value, colour }) => {
        const ink = value === NONE ? rgba(colour, QUIET_ALPHA) : rgba(colour);
        return [value, hidden.has(value) ? 0 : ink];
      }),
    );
    column.values.forEach((value, index) => {
      colours[index] = inks.get(value) ?? 0;
    });
    return colours;
  }
  const [low, high] = range ?? [0, 1];
  const steps = Array.from({ length: 256 }, (_, index) => rgba(ramp(index / 255)));
  const none = hidden.has(NONE) ? 0 : rgba(quiet, QUIET_ALPHA);
  column.values.forEach((value, index) => {
    const share = Math.min(1, Math.max(0, (value - low) / (high - low || 1)));
    colours[index] = Number.isFinite(value) ? (steps[Math.round(share * 255)] as number) : none;
  });
  return colours;
}
