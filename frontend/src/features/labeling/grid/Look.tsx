import { useRef } from "react";
import type { LabelClass } from "../../../api/types";
import { Whole } from "../../../media/Thumbnail";
import { useScrollKeys } from "../../../media/text/scrolling";
import { t } from "../../../strings";
import { Button } from "../../../ui/Button";
import { formatChance } from "../../../ui/format";
import { FIXED_KEYS } from "../../../ui/hotkeys";
import { Kbd } from "../../../ui/Kbd";
import { useBeside } from "../../../ui/useBeside";
import { ShownFields } from "../ShownFields";
import { PIXELS_UP_TO } from "./GroupSection";
import styles from "./Look.module.css";
import type { Tile } from "./model";

type PreviewProps = { tile: Tile | null; classes: LabelClass[]; guidelines: string };

/** The image under the pointer, or at the keys, and what the model thinks of it. */
export function Preview({ tile, classes, guidelines }: PreviewProps) {
  const predicted = classes.find((item) => item.id === tile?.classId);
  return (
    <aside className={styles.preview} aria-label={t.grid.preview}>
      <div className={styles.frame} data-medium={tile?.subject.width === null ? "text" : "image"}>
        {tile && <Picture tile={tile} />}
      </div>
      {tile ? (
        <div className={styles.facts}>
          <p className={styles.name}>{t.grid.tile(tile.subject.name, tile.subject.example_id)}</p>
          <ShownFields key={tile.subject.query_id} fields={tile.subject.fields} />
          {predicted && tile.probability !== null ? (
            <p>{t.grid.predicted(predicted.name, formatChance(tile.probability))}</p>
          ) : (
            tile.given === null && <p>{t.grid.notPredicted}</p>
          )}
          {tile.inside !== null && <p>{t.grid.inside(formatChance(tile.inside))}</p>}
          <p className={styles.hint}>
            {t.grid.larger} <Kbd>{FIXED_KEYS.smooth.toUpperCase()}</Kbd>
          </p>
        </div>
      ) : (
        <p className={styles.hint}>{t.grid.previewHint}</p>
      )}
      {guidelines && (
        <details className={styles.guidelines}>
          <summary>{t.label.guidelines}</summary>
          <p>{guidelines}</p>
        </details>
      )}
    </aside>
  );
}

type LookProps = {
  tile: Tile | null;
  /** Whether a break lies over it. */
  covered: boolean;
  onClose: () => void;
};

/** One image over the whole grid, for as long as it is wanted. */
export function Look({ tile, covered, onClose }: LookProps) {
  if (!tile) return null;
  if (tile.subject.width === null) {
    return <Reading tile={tile} covered={covered} onClose={onClose} />;
  }
  return (
    <button type="button" className={styles.look} onClick={onClose}>
      <Picture tile={tile} />
      <span className="visually-hidden">{t.common.close}</span>
    </button>
  );
}

/** A text over the whole grid: its keys move it while it is open. */
function Reading({ tile, covered, onClose }: LookProps & { tile: Tile }) {
  const sheet = useRef<HTMLDivElement>(null);
  useScrollKeys(sheet, covered);
  // As the button does, Escape, and the key that has opened it.
  const beside = useBeside(onClose);
  return (
    <div className={styles.reading} {...beside}>
      <div ref={sheet} className={styles.sheet}>
        <Picture tile={tile} />
      </div>
      <Button kind="quiet" size="small" className={styles.close} onClick={onClose}>
        {t.common.close}
        <Kbd decorative>{FIXED_KEYS.smooth.toUpperCase()}</Kbd>
      </Button>
    </div>
  );
}

function Picture({ tile }: { tile: Tile }) {
  return (
    <Whole
      content={tile.subject}
      crispUpTo={PIXELS_UP_TO}
      alt={t.label.imageAlt(tile.subject.name)}
      draggable={false}
    />
  );
}
