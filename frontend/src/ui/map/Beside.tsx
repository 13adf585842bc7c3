import type { CSSProperties, ReactNode } from "react";
import styles from "./Beside.module.css";
import type { Pointed } from "./PlaneMap";

/** What is said of the image under the pointer, beside it. */
export function Beside({ pointed: { at }, children }: { pointed: Pointed; children: ReactNode }) {
  return (
    <div
      className={styles.beside}
      style={{ "--x": `${at.x}px`, "--y": `${at.y}px` } as CSSProperties}
      data-flip={at.x > 240 || undefined}
      aria-hidden="true"
    >
      {children}
    </div>
  );
}
