import { type ReactNode, useRef } from "react";
import { t } from "../strings";
import styles from "./Table.module.css";
import { useScrollEdges } from "./useScrollEdges";

/** A table that scrolls sideways in itself, never the page, and says so where it does. */
export function Table({ label, children }: { label: string; children: ReactNode }) {
  const frame = useRef<HTMLDivElement>(null);
  const { before, after } = useScrollEdges(frame);
  const scrolls = before || after;
  return (
    <div className={styles.whole}>
      <div
        className={styles.frame}
        data-before={before || undefined}
        data-after={after || undefined}
      >
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset groups controls; this groups a table. */}
        <div
          ref={frame}
          className={styles.scroll}
          role="group"
          aria-label={scrolls ? t.common.sideways(label) : label}
          tabIndex={scrolls ? 0 : undefined}
        >
          <table className={styles.table}>{children}</table>
        </div>
      </div>
      {scrolls && (
        <p className={styles.more} aria-hidden="true">
          {t.common.moreSideways}
        </p>
      )}
    </div>
  );
}
