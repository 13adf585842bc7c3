import type { Suggestion } from "../../../api/types";
import { Thumbnail } from "../../../media/Thumbnail";
import { t } from "../../../strings";
import styles from "./GroupTiles.module.css";

const { alike: text } = t.review;
/** Up to this size, as in the label grid, an image is shown itself, and its pixels are. */
const SIZE = 512;
const PIXELS_UP_TO = 128;

type GroupTilesProps = {
  heading: string;
  group: Suggestion[];
  /** Those that no decision is made on. */
  left: ReadonlySet<number>;
  onToggle: (id: number) => void;
};

/** The images of a group; a click leaves one out, or takes it in again. */
export function GroupTiles({ heading, group, left, onToggle }: GroupTilesProps) {
  return (
    <section className={styles.group} aria-label={heading}>
      <header className={styles.header}>
        <h2>{heading}</h2>
        {left.size > 0 && <span>{text.chosen(group.length - left.size, group.length)}</span>}
      </header>
      <div className={styles.tiles}>
        {group.map((one) => (
          <button
            key={one.id}
            type="button"
            className={styles.tile}
            aria-label={text.image(one.name)}
            aria-pressed={!left.has(one.id)}
            onClick={() => onToggle(one.id)}
          >
            <Thumbnail
              example={{ ...one, id: one.example_id }}
              size={SIZE}
              itselfUpTo={SIZE}
              crispUpTo={PIXELS_UP_TO}
              alt=""
              draggable={false}
            />
            {left.has(one.id) && <span className={styles.out}>{text.out}</span>}
          </button>
        ))}
      </div>
    </section>
  );
}
