import type { MapQuery, Project } from "../../api/types";
import { t } from "../../strings";
import { noneOf } from "../../tasks/stateNames";
import { formatCount } from "../../ui/format";
import styles from "./RoundScreen.module.css";
import { keyOf } from "./useMap";

const { map: text } = t.rounds;

type LegendProps = {
  queries: MapQuery[];
  project: Project;
  hidden: ReadonlySet<string>;
  onHide: (key: string) => void;
  isDense: boolean;
  hasSurface: boolean;
};

/** What the map shows; each entry is a button that takes it away or back. */
export function Legend({ queries, project, hidden, onHide, isDense, hasSurface }: LegendProps) {
  const counts = new Map<string, number>();
  for (const query of queries) counts.set(keyOf(query), (counts.get(keyOf(query)) ?? 0) + 1);
  const entries = [
    { key: "pool", name: isDense ? text.density : text.pool, look: "pool" },
    ...(hasSurface
      ? [
          { key: "surface", name: text.surface, look: "surface" },
          { key: "boundary", name: text.boundary, look: "boundary" },
        ]
      : []),
    ...project.classes.map((one) => ({
      key: `class:${one.id}`,
      name: one.name,
      look: "label",
      colour: one.colour,
    })),
    // Labels that are of no one class.
    { key: "class:null", name: t.states.classes.labeled, look: "label" },
    { key: "boxes", name: t.boxes.some, look: "label" },
    { key: "nothing", name: t.boxes.none, look: "nothing" },
    { key: "ood", name: noneOf(project).full, look: "ood" },
    { key: "skip", name: text.verdicts.skip, look: "skip" },
    { key: "unsure", name: text.verdicts.unsure, look: "unsure" },
    { key: "unanswered", name: text.unanswered, look: "unanswered" },
  ];
  const isLayer = (look: string) => ["pool", "surface", "boundary"].includes(look);
  return (
    <fieldset className={styles.legend}>
      <legend className="visually-hidden">{text.legend}</legend>
      {entries
        .filter(({ key, look }) => isLayer(look) || counts.has(key))
        .map(({ key, name, look, ...rest }) => (
          <button
            key={key}
            type="button"
            aria-pressed={!hidden.has(key)}
            onClick={() => onHide(key)}
          >
            <i
              className={styles.swatch}
              data-look={look}
              style={"colour" in rest ? { background: rest.colour } : undefined}
            />
            {name}
            {counts.has(key) && <small>{formatCount(counts.get(key) ?? 0)}</small>}
          </button>
        ))}
    </fieldset>
  );
}
