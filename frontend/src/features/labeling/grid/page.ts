import { type Choice, isSameVerdict } from "../../../tasks/choice";
import { batchKeys, without } from "./batches";
import { deal } from "./groups";
import { type GridView, idOf, isDone, type Tile } from "./model";

type Pages = Pick<GridView, "page" | "upcoming">;

/** After a lease: new images go to the end, and those lost in the meantime go away. */
export function merged(
  { page, upcoming }: Pages,
  leased: Tile[],
  answered: ReadonlySet<number>,
  saving: ReadonlySet<number>,
): Pages {
  const open = leased.filter((tile) => !answered.has(idOf(tile)));
  const mine = new Set(open.map(idOf));
  // A verdict that is being stored right now is on its image in a moment.
  const holds = (tile: Tile) =>
    tile.given !== null || mine.has(idOf(tile)) || saving.has(idOf(tile));
  const kept = { page: page.filter(holds), upcoming: upcoming.filter(holds) };
  const known = new Set([...kept.page, ...kept.upcoming].map(idOf));
  const added = open.filter((tile) => !known.has(idOf(tile)));
  return { page: kept.page, upcoming: [...kept.upcoming, ...added] };
}

/** The next page if this one is done: the one of before a reload, if its images are there again. */
export function turned(
  { page, upcoming }: Pages,
  size: number,
  before: ReadonlySet<number>,
): Pages | null {
  if (!page.every(isDone) || upcoming.length === 0) return null;
  const again = upcoming.filter((tile) => before.has(idOf(tile)));
  const others = upcoming.filter((tile) => !before.has(idOf(tile)));
  const [next, rest] = again.length > 0 ? [again, others] : deal(upcoming, size);
  return { page: next, upcoming: rest };
}

/** The tiles with a verdict each; one that has it already keeps the answer it has. */
export function judged(tiles: Tile[], choice: Choice): Tile[] {
  const keys = batchKeys(tiles.length);
  return tiles.map((tile, index) => ({
    ...tile,
    given: isSameVerdict(tile.given, choice) ? tile.given : { ...choice, key: keys[index] ?? "" },
    reopened: false,
  }));
}

/** The page with what was judged last, to be judged again. */
export function reopened({ page, history }: GridView) {
  const last = history.at(-1);
  if (!last) return null;
  const back = new Map(last.map((tile) => [idOf(tile), { ...tile, reopened: true }]));
  return {
    phase: "working" as const,
    page: [...back.values(), ...page.filter((tile) => !back.has(idOf(tile)))],
    history: history.slice(0, -1),
    undone: last,
  };
}

/** What the server refused is no verdict: its image is open again, here or on a page to come. */
export function withdrawn(
  { page, history, mine }: GridView,
  rejected: readonly { key: string }[],
): Pick<GridView, "page" | "history" | "mine"> | null {
  const refused = new Set(rejected.map(({ key }) => key));
  const isRefused = ({ given }: Tile) => given !== null && refused.has(given.key);
  const gone = new Set([...page, ...history.flat()].filter(isRefused).map(idOf));
  if (gone.size === 0) return null;
  return {
    page: page.map((tile) => (isRefused(tile) ? { ...tile, given: null } : tile)),
    history: without(history, gone),
    mine: mine && { today: mine.today - gone.size, total: mine.total - gone.size },
  };
}
