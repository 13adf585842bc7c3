import { keepPreviousData, useQueries, useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { mapQueriesQuery, surfaceQuery, type TilePlace, tileQuery } from "../../api/maps";
import type { LabelClass, MapQuery, RoundMap, Surface } from "../../api/types";
import { resample, thresholdsOf } from "./contours";
import type { Mark, Shape } from "./paint";
import type { Queried } from "./pick";
import { type Box, boxOf } from "./plane";
import type { Relief } from "./scene";
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

/** The tiles that a view needs, once they have come; the last ones until then. */
export function useTiles(projectId: number, map: RoundMap, view: Box | null) {
  const all = useMemo(() => boxOf(map), [map]);
  const whole = useQuery({
    ...tileQuery(projectId, map.number, map.version, WHOLE),
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
    queries: places.map((place) => tileQuery(projectId, map.number, map.version, place)),
    combine: (results) => results.map((result) => result.data),
  });
  const tiles = useMemo((): DrawnTile[] => {
    if (!tile) return [];
    const coarse = [{ tile, box: all }];
    const fine = places.flatMap((place, index) => {
      const buffer = found[index];
      return buffer ? [{ tile: decoded(buffer), box: boxOfTile(place, all) }] : [];
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

export function useSurface(projectId: number, number: number) {
  const found = useQuery(surfaceQuery(projectId, number));
  const surface = found.data?.surface ?? null;
  const relief = useMemo(() => (surface ? reliefOf(surface) : null), [surface]);
  return { surface, relief, isReady: found.data !== undefined, error: found.error };
}

const reliefOf = (surface: Surface): Relief => ({
  name: surface.name,
  grid: resample(surface),
  thresholds: thresholdsOf(surface),
  level: surface.level,
});

export function useQuerySet(projectId: number, number: number) {
  const found = useQuery(mapQueriesQuery(projectId, number));
  return {
    total: found.data?.total ?? 0,
    items: found.data?.items ?? [],
    isReady: found.data !== undefined && !found.isPlaceholderData,
    error: found.error,
    retry: found.refetch,
  };
}

/** What the legend calls the verdict on a query. */
export const keyOf = ({ verdict, class_id: classId }: MapQuery): string =>
  verdict === "class" ? `class:${classId}` : (verdict ?? "unanswered");

export function marksOf(
  queries: MapQuery[],
  classes: LabelClass[],
): { marks: Mark[]; places: Queried[] } {
  const colourOf = new Map(classes.map((one) => [one.id, one.colour]));
  const placed = queries.filter((one) => one.purity !== null && one.informativeness !== null);
  const at = ({ purity, informativeness }: MapQuery) => ({
    x: purity ?? 0,
    y: informativeness ?? 0,
  });
  return {
    places: placed.map((one) => ({ poolIndex: one.pool_index, ...at(one) })),
    // The best ranks last, on top of the others.
    marks: placed.toReversed().map((one) => {
      const shape: Shape = one.verdict ?? "none";
      return { ...at(one), shape, colour: colourOf.get(one.class_id ?? 0) ?? null };
    }),
  };
}
