import { keepPreviousData, useQueries } from "@tanstack/react-query";
import { useMemo } from "react";
import { type ColouredBy, embeddingColoursQuery } from "../../../api/embeddingMap";
import type { Project } from "../../../api/types";
import { t } from "../../../strings";
import { stateNames } from "../../../tasks/stateNames";
import type { Palette } from "../../../ui/map/scene";
import type { DrawnTile } from "../../../ui/map/tiles";
import type { PlacedTile } from "../../../ui/map/useTiles";
import { type Column, coloursOf, decodeColumn, entriesOf, rangeOf } from "./colouring";

const { map: text } = t.pool;

const DECODED = new WeakMap<ArrayBuffer, Column>();

function decoded(buffer: ArrayBuffer): Column {
  const known = DECODED.get(buffer) ?? decodeColumn(buffer);
  DECODED.set(buffer, known);
  return known;
}

/** Tiles in colours, and what these mean; without a colour until all have come. */
export function useColours(
  project: Project,
  version: string,
  by: ColouredBy,
  chosenBy: number | null,
  tiles: PlacedTile[],
  hidden: ReadonlySet<number>,
  palette: Palette | null,
) {
  const found = useQueries({
    queries: tiles.map(({ place }) => ({
      ...embeddingColoursQuery(project.id, version, by, place, chosenBy),
      placeholderData: keepPreviousData,
    })),
    combine: (results) => ({
      buffers: results.map(({ data, isPlaceholderData }) => (isPlaceholderData ? undefined : data)),
      error: results.find(({ error }) => error)?.error ?? null,
    }),
  });
  const columns = useMemo(() => {
    const all = found.buffers.map((buffer) => buffer && decoded(buffer));
    // Of an earlier view there may be another number of tiles, or images.
    const fits = all.every(
      (column, index) => column && column.values.length === sizeOf(tiles[index]),
    );
    return fits ? (all as Column[]) : null;
  }, [found.buffers, tiles]);
  const legend = useMemo(() => {
    if (!columns || !palette) return null;
    const names = stateNames(project);
    const entries = entriesOf(by, columns, {
      classes: project.classes,
      palette,
      // What has no class of its own is labeled by boxes, or with nothing in it.
      states: { ...names, labeled: names.objects ?? names.labeled },
      nothing: t.boxes.none,
      notScored: text.notScored,
      notAsked: text.notAsked,
      round: t.rounds.title,
      kept: t.selection.keptRow,
      dropped: t.selection.droppedRow,
      notChosenFrom: t.selection.onMap.notChosenFrom,
    });
    return { entries, range: rangeOf(columns) };
  }, [by, columns, palette, project]);
  const coloured = useMemo(
    (): DrawnTile[] =>
      tiles.map(({ tile, box }, index) => {
        const column = columns?.[index];
        if (!column || !legend || !palette) return { tile, box };
        const { entries, range } = legend;
        const colours = coloursOf(column, entries, hidden, range, palette.points);
        return { tile: { ...tile, colours }, box };
      }),
    [tiles, columns, legend, hidden, palette],
  );
  return { tiles: coloured, legend, error: found.error };
}

const sizeOf = (placed: PlacedTile | undefined): number => {
  if (!placed) return 0;
  const { tile } = placed;
  return tile.kind === "points" ? tile.indices.length : tile.bins.length;
};
