import { onScreen } from "../../../api/images";
import type { LabelClass } from "../../../api/types";
import { t } from "../../../strings";
import { FIXED_KEYS } from "../../../ui/hotkeys";
import { Kbd } from "../../../ui/Kbd";
import styles from "./Look.module.css";
import type { Tile } from "./model";
import { isPixelated } from "./thumbnails";

type PreviewProps = { tile: Tile | null; classes: LabelClass[]; guidelines: string };

/** The image under the pointer, or at the keys, and what the model thinks of it. */
export function Preview({ tile, classes, guidelines }: PreviewProps) {
  const predicted = classes.find((item) => item.id === tile?.classId);
  return (
    <aside className={styles.preview} aria-label={t.grid.preview}>
      <div className={styles.frame}>{tile && <Picture tile={tile} />}</div>
      {tile ? (
        <div className={styles.facts}>
          <p className={styles.name}>{t.grid.tile(tile.subject.name, tile.subject.example_id)}</p>
          {predicted && tile.probability !== null ? (
            <p>{t.grid.predicted(predicted.name, tile.probability)}</p>
          ) : (
            tile.given === null && <p>{t.grid.notPredicted}</p>
          )}
          {tile.inside !== null && <p>{t.grid.inside(tile.inside)}</p>}
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

/** One image over the whole grid, for as long as it is wanted. */
export function Look({ tile, onClose }: { tile: Tile | null; onClose: () => void }) {
  if (!tile) return null;
  return (
    <button type="button" className={styles.look} onClick={onClose}>
      <Picture tile={tile} />
      <span className="visually-hidden">{t.common.close}</span>
    </button>
  );
}

function Picture({ tile }: { tile: Tile }) {
  return (
    <img
      src={onScreen(tile.subject)}
      alt={t.label.imageAlt(tile.subject.name)}
      draggable={false}
      className={isPixelated(tile) ? styles.pixelated : ""}
    />
  );
}
