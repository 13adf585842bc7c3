import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useMemo, useRef, useState } from "react";
import {
  type ColouredBy,
  embeddingImageQuery,
  embeddingTileQuery,
} from "../../../api/embeddingMap";
import type { EmbeddingMap as MadeMap, Project } from "../../../api/types";
import { t } from "../../../strings";
import { traitsOf } from "../../../tasks/traits";
import { Button } from "../../../ui/Button";
import { ErrorNotice } from "../../../ui/ErrorNotice";
import { SelectField } from "../../../ui/Field";
import { useSelections } from "../../../ui/jobs/useSelections";
import { decode, encode } from "../../../ui/map/lasso";
import { PlaneMap, type Pointed } from "../../../ui/map/PlaneMap";
import { around, type Box, boxOf, cornersOf, type Place } from "../../../ui/map/plane";
import { usePalette } from "../../../ui/map/usePalette";
import { useTiles } from "../../../ui/map/useTiles";
import { Failure, Loading, Skeleton } from "../../../ui/State";
import { ColourLegend } from "./ColourLegend";
import { colouringsOf } from "./colouring";
import styles from "./EmbeddingMap.module.css";
import { MapPreview } from "./MapPreview";
import { useColours } from "./useColours";

const { map: text } = t.pool;
const ALL = { pool: true, surface: false, boundary: false };
const NOTHING_QUERIED: never[] = [];

type EmbeddingMapProps = {
  project: Project;
  map: MadeMap;
  by: ColouredBy;
  /** The job by whose choice rows are coloured; null for the newest. */
  chosenBy: number | null;
  scoresRound: number | null;
  /** As the address and the filters of the pool have it, with the version of its map. */
  outline: string | null;
  onColour: (by: ColouredBy) => void;
  onChosenBy: (id: number) => void;
  onOutline: (outline: string | null) => void;
  onOpen: (id: number) => void;
};

/** The images of the pool where a map has laid them, in colours. */
export function EmbeddingMap(props: EmbeddingMapProps) {
  const { project, map, scoresRound, outline, onColour, onChosenBy, onOutline, onOpen } = props;
  const selections = useSelections(project.id, traitsOf(project).isCurated);
  const offered = colouringsOf(project.task, selections.length > 0);
  const by = offered.includes(props.by) ? props.by : "state";
  const chosenBy = by === "selection" ? (props.chosenBy ?? selections[0]?.id ?? null) : null;
  const client = useQueryClient();
  const frame = useRef<HTMLDivElement>(null);
  const palette = usePalette(frame);
  const [view, setView] = useState<Box | null>(null);
  const [lasso, setLasso] = useState(false);
  const [pointed, setPointed] = useState<Pointed | null>(null);
  const [hiding, setHiding] = useState<{ by: ColouredBy; values: ReadonlySet<number> }>(() => ({
    by,
    values: new Set(),
  }));
  // Entries of one colouring say nothing of another's.
  const hidden = useMemo(
    () => (hiding.by === by ? hiding.values : new Set<number>()),
    [hiding, by],
  );
  const all = useMemo(() => boxOf(map), [map]);
  const box = useMemo(() => around([map]) as Box, [map]);
  const found = useTiles(all, (place) => embeddingTileQuery(project.id, map.version, place), view);
  const coloured = useColours(project, map.version, by, chosenBy, found.tiles, hidden, palette);
  const drawn = useMemo(() => outlineOf(outline, map.version), [outline, map.version]);
  const content = useMemo(
    () => ({ tiles: coloured.tiles, relief: null, marks: [], outline: drawn }),
    [coloured.tiles, drawn],
  );
  const surround = (places: Place[]) => {
    setLasso(false);
    onOutline(`${map.version}:${encode(places)}`);
  };
  const hide = (value: number) => {
    const values = new Set(hidden);
    if (!values.delete(value)) values.add(value);
    setHiding({ by, values });
  };
  const open = useMutation({
    mutationFn: (poolIndex: number) =>
      client.ensureQueryData(embeddingImageQuery(project.id, map.version, poolIndex)),
  });
  // Of two that are asked for one after the other, the second alone is meant.
  const pick = (poolIndex: number) =>
    open.mutate(poolIndex, { onSuccess: ({ example_id }) => onOpen(example_id) });
  const error = found.error ?? coloured.error;
  return (
    <div ref={frame} className={styles.body}>
      <div className={styles.tools}>
        <div className={styles.fields}>
          <SelectField
            label={text.colour}
            value={by}
            onChange={(event) => onColour(event.target.value as ColouredBy)}
          >
            {offered.map((one) => (
              <option key={one} value={one}>
                {text.colours[one]}
              </option>
            ))}
          </SelectField>
          {chosenBy !== null && (
            <SelectField
              label={t.selection.onMap.chosenBy}
              value={chosenBy}
              onChange={(event) => onChosenBy(Number(event.target.value))}
            >
              {selections.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </SelectField>
          )}
        </div>
        <div className={styles.buttons}>
          <Button size="small" aria-pressed={lasso} onClick={() => setLasso(!lasso)}>
            {t.rounds.map.outline}
          </Button>
          <Button size="small" onClick={() => surround(cornersOf(view ?? box))}>
            {t.rounds.map.inView}
          </Button>
          <Button size="small" disabled={outline === null} onClick={() => onOutline(null)}>
            {t.rounds.inside.close}
          </Button>
        </div>
      </div>
      {error && <Failure error={error} onRetry={() => found.retry()} />}
      <ErrorNotice error={open.error} />
      {!error && found.tiles.length === 0 && (
        <Loading>
          <Skeleton height="clamp(20rem, 45vw, 35rem)" />
        </Loading>
      )}
      {found.tiles.length > 0 && (
        <div className={styles.frame} aria-busy={!found.isReady || !coloured.legend}>
          <PlaneMap
            round={0}
            box={box}
            content={content}
            queries={NOTHING_QUERIED}
            shown={ALL}
            lasso={lasso}
            label={text.label(map.count, text.colours[by])}
            onView={setView}
            onOutline={surround}
            onPoint={setPointed}
            onPick={pick}
          />
          {pointed && <MapPreview project={project} version={map.version} pointed={pointed} />}
        </div>
      )}
      {coloured.legend && (
        <ColourLegend {...coloured.legend} counts={!found.isDense} hidden={hidden} onHide={hide} />
      )}
      <p className={styles.hint}>
        {scoresRound !== null &&
          !["state", "round", "selection"].includes(by) &&
          `${t.pool.scoresOf(scoresRound)}. `}
        {found.isDense && `${chosenBy === null ? text.dense : t.selection.onMap.dense} `}
        {text.help}
      </p>
    </div>
  );
}

/** The corners of an outline that was drawn on this very map. */
function outlineOf(outline: string | null, version: string): Place[] | null {
  const [of, corners] = outline?.split(":") ?? [];
  return of === version ? decode(corners ?? null) : null;
}
