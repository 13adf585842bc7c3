import { keepPreviousData, type QueryKey, useQueries, useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import type { TilePlace } from "../../api/maps";
import type { Box } from "./plane";
import { boxOfTile, type DrawnTile, decodeTile, type Tile, tilesIn } from "./tiles";

const SETTLED_MS = 120;
const WHOLE: TilePlace = { level: 0, column: 0, row: 0 };

const DECODED = new WeakMap<ArrayBuffer, Tile>();

/** One tile for one buffer, so that what is drawn of it is made once. */
function decoded(buffer: ArrayBuffer): Tile {
  const known = DECODED.get(buffer) ?? decodeTile(buffer);
  DECODED.set(buffer, known);
  return known;
}

/** A tile on the plane, and which of its map it is. */
export type PlacedTile = DrawnTile & { place: TilePlace };

/** How the bytes of a tile are asked for. */
type TileQuery = (place: TilePlace) => {
  queryKey: QueryKey;
  queryFn?: unknown;
  staleTime?: unknown;
  gcTime?: number;
};

/** The tiles that a view needs, once they have come; the last ones until then. */
export function useTiles(all: Box, queryOf: TileQuery, view: Box | null) {
  const bytesOf = (place: TilePlace) => queryOf(place) as { queryKey: QueryKey };
  const whole = useQuery<ArrayBuffer>({
    ...bytesOf(WHOLE),
    placeholderData: keepPreviousData,
  });
  const tile = whole.data ? decoded(whole.data) : null;
  const isDense = tile?.kind === "density" && !whole.isPlaceholderData;
  const settled = useSettled(view);
  const places = useMemo(
    () => (isDense ? tilesIn(settled ?? all, all) : []),
    [isDense, settled, all],
  );
  const found = useQueries({
    queries: places.map(bytesOf),
    combine: (results) => results.map((result) => result.data as ArrayBuffer | undefined),
  });
  const tiles = useMemo((): PlacedTile[] => {
    if (!tile) return [];
    const coarse = [{ tile, box: all, place: WHOLE }];
    const fine = places.flatMap((place, index) => {
      const buffer = found[index];
      return buffer ? [{ tile: decoded(buffer), box: boxOfTile(place, all), place }] : [];
    });
    return fine.length > 0 && fine.length === places.length ? fine : coarse;
  }, [tile, all, places, found]);
  return {
    tiles,
    isReady: Boolean(tile) && !whole.isPlaceholderData,
    isDense,
    error: whole.error,
    retry: whole.refetch,
  };
}

/** A view that nobody has moved for a moment. */
function useSettled(view: Box | null): Box | null {
  const [settled, setSettled] = useState(view);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(view), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [view]);
  return settled;
}
