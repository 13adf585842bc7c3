import { isLikelyOod } from "../../../ui/likelyOod";
import { type Group, idOf, isDone, type Tile } from "./model";

function placeOf(tile: Tile): Omit<Group, "tiles"> {
  if (tile.reopened) return { key: "back", kind: "back", classId: null };
  if (isLikelyOod(tile.inside)) return { key: "ood", kind: "ood", classId: null };
  if (tile.classId === null) return { key: "none", kind: "none", classId: null };
  return { key: `class-${tile.classId}`, kind: "class", classId: tile.classId };
}

/** What the model is surest of comes first, so that those to doubt stand together at the end. */
const certainty = (group: Group, tile: Tile): number =>
  group.kind === "ood" ? 1 - (tile.inside ?? 0) : (tile.probability ?? 0);

/**
 * The groups of a page: first what was taken back, then the classes by their best image, at the end
 * what is likely OOD.
 *
 * @param known Classes that still exist; tiles of others count as not predicted.
 */
export function groupsOf(page: readonly Tile[], known: ReadonlySet<number>): Group[] {
  const groups = new Map<string, Group>();
  const places = new Map<number, Omit<Group, "tiles">>();
  for (const tile of page) {
    const exists = tile.classId === null || known.has(tile.classId);
    const own = placeOf(exists ? tile : { ...tile, classId: null });
    // Copies of a picture are judged together, whatever the model takes each for.
    const isCopy = tile.picture !== null && !tile.reopened;
    const place = (isCopy && places.get(tile.picture as number)) || own;
    if (isCopy) places.set(tile.picture as number, place);
    const group = groups.get(place.key) ?? { ...place, tiles: [] };
    group.tiles.push(tile);
    groups.set(place.key, group);
  }
  const rank = { back: 0, class: 1, none: 2, ood: 3 };
  const found = [...groups.values()].sort((a, b) => rank[a.kind] - rank[b.kind]);
  for (const group of found) {
    if (group.kind === "class" || group.kind === "ood")
      group.tiles.sort((a, b) => certainty(group, b) - certainty(group, a));
    group.tiles = together(group.tiles);
  }
  return found;
}

/** With the copies of a picture directly after the first of them. */
function together(tiles: readonly Tile[]): Tile[] {
  const first = new Map<number, number>();
  const places = tiles.map(({ picture }, index) => {
    if (picture === null) return index;
    if (!first.has(picture)) first.set(picture, index);
    return first.get(picture) ?? index;
  });
  return [...tiles.keys()]
    .sort((a, b) => (places[a] ?? a) - (places[b] ?? b) || a - b)
    .flatMap((index) => tiles[index] ?? []);
}

/** The open images of a page that show the same picture as some, these among them. */
export function withCopies(page: readonly Tile[], ids: readonly number[]): number[] {
  const wanted = new Set(ids);
  const pictures = new Set(page.filter((tile) => wanted.has(idOf(tile))).map((one) => one.picture));
  pictures.delete(null);
  const copies = page.filter((tile) => !isDone(tile) && pictures.has(tile.picture)).map(idOf);
  return [...new Set([...ids, ...copies])];
}

export const isComplete = (group: Group): boolean => group.tiles.every(isDone);

/** The page without the groups that are complete. */
export function tidied(page: readonly Tile[]): Tile[] {
  const known = new Set(page.flatMap(({ classId }) => classId ?? []));
  const gone = new Set(
    groupsOf(page, known)
      .filter(isComplete)
      .flatMap(({ tiles }) => tiles),
  );
  return page.filter((tile) => !gone.has(tile));
}

/** Take the next page: whole groups, in the order of their best images. */
export function deal(waiting: readonly Tile[], size: number): [page: Tile[], rest: Tile[]] {
  const lead = new Map<string, number>();
  waiting.forEach((tile, index) => {
    const { key } = placeOf(tile);
    if (!lead.has(key)) lead.set(key, index);
  });
  const leadOf = (tile: Tile) => lead.get(placeOf(tile).key) ?? 0;
  const page = [...waiting].sort((a, b) => leadOf(a) - leadOf(b)).slice(0, size);
  const taken = new Set(page);
  return [page, waiting.filter((tile) => !taken.has(tile))];
}
