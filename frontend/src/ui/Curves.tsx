import styles from "./Curves.module.css";

/** Colour and dashes of a curve; `rest` is what the others are compared with. */
export type Tone = 0 | 1 | 2 | 3 | "rest";

const TONES = [0, 1, 2, 3] as const;

/** Tones of so many curves, one after the other. */
export const toneOf = (index: number): Tone => TONES[index % TONES.length] ?? 0;

/** What curves are called, each with a piece of it. */
export function CurveLegend({ curves }: { curves: { name: string; tone: Tone }[] }) {
  return (
    <ul className={styles.legend}>
      {curves.map(({ name, tone }) => (
        <li key={name} className={styles.curve} data-curve={tone}>
          <svg className={styles.key} aria-hidden="true">
            <line className={styles.line} x1="0" x2="18" y1="3" y2="3" />
          </svg>
          {name}
        </li>
      ))}
    </ul>
  );
}
