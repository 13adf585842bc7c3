import { useState } from "react";
import { useSearchParams } from "react-router";
import type { MapQuery, Project, RoundMap } from "../../api/types";
import { t } from "../../strings";
import { locale } from "../../strings/language";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { encode } from "../../ui/map/lasso";
import { PlaneMap, type Pointed } from "../../ui/map/PlaneMap";
import { around, type Box, cornersOf, linesUp } from "../../ui/map/plane";
import { Failure, Loading, Skeleton } from "../../ui/State";
import { tickLabels } from "../../ui/scale";
import { Legend } from "./Legend";
import { Pins, Preview } from "./Pins";
import styles from "./RoundScreen.module.css";
import { useContent } from "./useContent";
import { planeOf, useRoundTiles, useSurface } from "./useMap";

const { map: text } = t.rounds;

type MapCardProps = {
  project: Project;
  maps: RoundMap[];
  map: RoundMap;
  /** As it is called in the catalog. */
  strategy: string;
  queries: { items: MapQuery[]; total: number; isReady: boolean };
  hidden: ReadonlySet<string>;
  onHide: (key: string) => void;
};

/** The map of one round: pool, surface, boundary and queries. */
export function MapCard(props: MapCardProps) {
  const { project, maps, map, strategy, queries, hidden, onHide } = props;
  const [search, setSearch] = useSearchParams();
  const [view, setView] = useState<Box | null>(null);
  const [lasso, setLasso] = useState(false);
  const [pointed, setPointed] = useState<Pointed | null>(null);
  const [pinned, setPinned] = useState<number[]>([]);
  const tiles = useRoundTiles(project.id, map, view);
  const surface = useSurface(project.id, map.number);
  const isReady = tiles.isReady && surface.isReady && queries.isReady;
  // Of few answers purity may say nearly the same of all, and until there are some it is another score.
  const lines = map.count > 1 ? linesUp(planeOf(map), maps.map(planeOf)) : [];
  const byItself = lines.length > 0;
  const own = (search.get("axes") ?? (byItself ? "own" : "all")) === "own";
  const drawn = useContent({
    isReady,
    round: map.number,
    box: around((own ? [map] : maps).map(planeOf)),
    tiles: tiles.tiles,
    relief: surface.relief,
    queries: queries.items,
    classes: project.classes,
    hidden,
    outline: search.get("outline"),
  });
  const change = (name: string, value: string | null) =>
    setSearch(
      (before) => {
        if (value === null) before.delete(name);
        else before.set(name, value);
        return before;
      },
      { replace: true },
    );
  const said = surfaceText(surface, strategy);
  const error = tiles.error ?? surface.error;
  return (
    <Card
      title={text.title}
      hint={text.hint(map.count, queries.total)}
      actions={
        <>
          <Button size="small" aria-pressed={lasso} onClick={() => setLasso(!lasso)}>
            {text.outline}
          </Button>
          <Button
            size="small"
            disabled={!drawn}
            onClick={() => drawn && change("outline", encode(cornersOf(view ?? drawn.box)))}
          >
            {text.inView}
          </Button>
        </>
      }
    >
      {error && <Failure error={error} onRetry={() => tiles.retry()} />}
      {!error && !drawn && (
        <Loading>
          <Skeleton height="clamp(20rem, 45vw, 35rem)" />
        </Loading>
      )}
      {drawn && (
        <div className={styles.mapFrame} aria-busy={!isReady}>
          <PlaneMap
            {...drawn}
            axes={text}
            shown={{
              pool: !hidden.has("pool"),
              surface: !hidden.has("surface"),
              boundary: !hidden.has("boundary"),
            }}
            lasso={lasso}
            label={text.label(map.count, queries.total, said)}
            onView={setView}
            onOutline={(places) => {
              setLasso(false);
              change("outline", encode(places));
            }}
            onPoint={setPointed}
            onPick={(poolIndex) =>
              setPinned((before) =>
                [poolIndex, ...before.filter((one) => one !== poolIndex)].slice(0, 6),
              )
            }
          />
          {pointed && <Preview project={project} map={map} pointed={pointed} />}
        </div>
      )}
      <Legend
        queries={queries.items}
        project={project}
        hidden={hidden}
        onHide={onHide}
        isDense={tiles.isDense}
        hasSurface={surface.relief !== null}
      />
      <Pins
        project={project}
        map={map}
        pinned={pinned}
        onLetGo={(poolIndex) => setPinned((before) => before.filter((one) => one !== poolIndex))}
      />
      <p className={styles.caption}>
        {said} {text.help}
      </p>
      {lines.map((axis) => (
        <p key={axis} className={styles.caption}>
          {linesText(map, axis)} {own && maps.length > 1 && text.soOwnAxes}
        </p>
      ))}
      <label className={styles.switch}>
        <input
          type="checkbox"
          checked={own}
          onChange={({ target }) =>
            change("axes", target.checked === byItself ? null : target.checked ? "own" : "all")
          }
        />
        {text.ownAxes}
      </label>
    </Card>
  );
}

/** Why the images of a round have axes of their own, or lie on a line even so. */
function linesText(map: RoundMap, axis: "x" | "y"): string {
  const { low, high } = planeOf(map)[axis];
  const score = axis === "x" ? text.purity : text.informativeness;
  if (low === high) return text.sameOfAll(score, String(Number(low.toPrecision(3))));
  const [from = "", to = ""] = tickLabels([low, high], locale);
  return text.closeTogether(score, from, to);
}

function surfaceText(
  { surface, isReady }: ReturnType<typeof useSurface>,
  strategy: string,
): string {
  if (!isReady) return "";
  if (!surface) return text.noSurface(strategy);
  return `${text.surfaces[surface.name]} ${surface.exact ? text.exact : text.inexact}`;
}
