import type { Suggestion } from "../../../api/types";
import { Thumbnail } from "../../../media/Thumbnail";
import { t } from "../../../strings";
import { NotLoadedTile } from "../NotLoadedTile";
import { type OnState, useComingUp } from "../useComingUp";
import styles from "./GroupTiles.module.css";

const { alike: text } = t.review;
/** Up to this size, as in the label grid, an image is shown itself, and its pixels are. */
const SIZE = 512;
const PIXELS_UP_TO = 128;

type Told = {
  onToggle: (id: number) => void;
  /** Told of each image whether it has come up. */
  onState: OnState;
};

type GroupTilesProps = Told & {
  heading: string;
  group: Suggestion[];
  /** Those that no decision is made on. */
  out: ReadonlySet<number>;
};

/** The images of a group; a click leaves one out, or takes it in again. */
export function GroupTiles({ heading, group, out, ...told }: GroupTilesProps) {
  return (
    <section className={styles.group} aria-label={heading}>
      <header className={styles.header}>
        <h2>{heading}</h2>
        {out.size > 0 && <span>{text.chosen(group.length - out.size, group.length)}</span>}
      </header>
      <div className={styles.tiles}>
        {group.map((one) => (
          <GroupTile key={one.id} one={one} isOut={out.has(one.id)} {...told} />
        ))}
      </div>
    </section>
  );
}

type GroupTileProps = Told & { one: Suggestion; isOut: boolean };

function GroupTile({ one, isOut, onToggle, onState }: GroupTileProps) {
  const { state, attempt, report, retry } = useComingUp(one.id, onState);
  const failed = state === "failed";
  const name = text.image(one.name);
  return (
    <button
      type="button"
      className={styles.tile}
      aria-label={failed ? `${name}: ${t.label.tileFailed}` : name}
      aria-pressed={!isOut}
      aria-busy={state === "loading" || undefined}
      onClick={() => (failed ? retry() : onToggle(one.id))}
    >
      <Thumbnail
        key={attempt}
        example={{ ...one, id: one.example_id }}
        size={SIZE}
        itselfUpTo={SIZE}
        crispUpTo={PIXELS_UP_TO}
        alt=""
        draggable={false}
        onState={report}
      />
      {failed && <NotLoadedTile name={one.name} />}
      {isOut && <span className={styles.out}>{text.out}</span>}
    </button>
  );
}
