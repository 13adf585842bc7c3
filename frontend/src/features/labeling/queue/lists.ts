/** What is shown, what comes next, and what undo can reach, the latest last. */
export type Lists<Item> = { current: Item | null; upcoming: Item[]; history: Item[] };

/** What the queue must know of its items. */
export type Traits<Item> = {
  idOf(item: Item): number;
  /** Whether the item has a verdict. */
  isGiven(item: Item): boolean;
  /** Items by the turn in which they got their verdict. */
  inTurn(items: Item[]): Item[];
};

const shown = <Item>(current: Item | null): Item[] => (current === null ? [] : [current]);

/** Those items that are in none of the lists. */
export function absent<Item>(
  items: Item[],
  { current, upcoming, history }: Lists<Item>,
  { idOf }: Traits<Item>,
): Item[] {
  const present = new Set([...history, ...shown(current), ...upcoming].map(idOf));
  return items.filter((item) => !present.has(idOf(item)));
}

/** Everything with a verdict that can be gone back to, wherever it is now. */
export function trailOf<Item>(lists: Lists<Item>, { isGiven, inTurn }: Traits<Item>): Item[] {
  const { current, upcoming, history } = lists;
  const revisited = [...shown(current), ...upcoming].filter(isGiven);
  return revisited.length > 0 ? inTurn([...history, ...revisited]) : history;
}

/** Back to the item before; what is shown comes next again. */
export function undone<Item>({ current, upcoming, history }: Lists<Item>): Lists<Item> | null {
  const last = history.at(-1);
  if (last === undefined) return null;
  return {
    current: last,
    upcoming: [...shown(current), ...upcoming],
    history: history.slice(0, -1),
  };
}

/** What was given before (-1) or after (1) what is shown, if anything was. */
export function beside<Item>(
  { trail, current }: { trail: Item[]; current: Item | null },
  by: -1 | 1,
): Item | undefined {
  const at = current === null ? -1 : trail.indexOf(current);
  return trail[(at < 0 ? trail.length : at) + by];
}

/** To any other item of the trail. What waits for a verdict comes next; what has one goes back to its place. */
export function revisited<Item>(
  { trail, current, upcoming, history }: Lists<Item> & { trail: Item[] },
  id: number,
  { idOf, isGiven, inTurn }: Traits<Item>,
): Lists<Item> | null {
  const item = trail.find((one) => idOf(one) === id);
  const left = shown(current);
  if (item === undefined || left.includes(item)) return null;
  const others = (items: Item[]) => items.filter((one) => idOf(one) !== id);
  return {
    current: item,
    upcoming: [...left.filter((one) => !isGiven(one)), ...others(upcoming)],
    history: inTurn([...others(history), ...left.filter(isGiven)]),
  };
}

/**
 * On to what comes next; `done` keeps its place in the history, or gets the last.
 *
 * Others may hold what was leased too long ago (`expired`): it is asked for again rather than judged twice.
 */
export function advanced<Item>(
  { upcoming, history }: Lists<Item>,
  done: Item,
  expired: boolean,
  { idOf, isGiven, inTurn }: Traits<Item>,
): Lists<Item> {
  const others = history.filter((item) => idOf(item) !== idOf(done));
  const [next = null, ...rest] = expired ? upcoming.filter(isGiven) : upcoming;
  return { current: next, upcoming: rest, history: inTurn([...others, done]) };
}

/**
 * The lists after a lease: new items go to the end, and those lost in the meantime go away.
 *
 * What is shown stays, unless `reclaiming`: then it goes too if somebody else has it now.
 */
export function merged<Item>(
  { current, upcoming, history }: Lists<Item>,
  leased: Item[],
  reclaiming: boolean,
  { idOf, isGiven }: Traits<Item>,
): Lists<Item> {
  const mine = new Set(leased.map(idOf));
  const holds = (item: Item) => isGiven(item) || mine.has(idOf(item));
  const stays = shown(current).filter((item) => !reclaiming || holds(item));
  const kept = [...stays, ...upcoming.filter(holds)];
  const known = new Set(kept.map(idOf));
  const [next = null, ...rest] = [...kept, ...leased.filter((item) => !known.has(idOf(item)))];
  return { current: next, upcoming: rest, history };
}

/** Of what is in view, comes next or can be gone back to that of which more was made than said. */
export function begun<Item>(
  { current, upcoming, trail }: Pick<Lists<Item>, "current" | "upcoming"> & { trail: Item[] },
  isWorkedAt: boolean,
  isUnsent: (item: Item) => boolean,
): Item[] {
  const others = new Set([...upcoming, ...trail].filter((item) => item !== current));
  const left = [...others].filter(isUnsent);
  return current && isWorkedAt ? [current, ...left] : left;
}
