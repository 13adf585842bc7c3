import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { mapQueriesQuery, surfaceQuery, tileQuery } from "../../api/maps";
import type { LabelClass, MapQuery, RoundMap, Surface } from "../../api/types";
import { resample, thresholdsOf } from "../../ui/map/contours";
import type { Mark, Shape } from "../../ui/map/paint";
import type { Queried } from "../../ui/map/pick";
import { type Box, boxOf } from "../../ui/map/plane";
import type { Relief } from "../../ui/map/scene";
import { useTiles } from "../../ui/map/useTiles";

/** A round's map as a plane: purity along x, informativeness along y. */
export const planeOf = ({
  purity,
  informativeness,
}: Pick<RoundMap, "purity" | "informativeness">) => ({
  x: purity,
  y: informativeness,
});

/** The tiles that a view of a round's map needs. */
export function useRoundTiles(projectId: number, map: RoundMap, view: Box | null) {
  const all = useMemo(() => boxOf(planeOf(map)), [map]);
  return useTiles(all, (place) => tileQuery(projectId, map.number, map.version, place), view);
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
export function keyOf({ verdict, class_id: classId, boxes }: MapQuery): string {
  if (verdict !== "label") return verdict ?? "unanswered";
  if (boxes === null) return `class:${classId}`;
  return boxes === 0 ? "nothing" : "boxes";
}

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
      const shape: Shape = one.boxes === 0 ? "nothing" : (one.verdict ?? "none");
      // What has boxes is of no one class, and has no colour.
      return { ...at(one), shape, colour: colourOf.get(one.class_id ?? 0) ?? null };
    }),
  };
}
