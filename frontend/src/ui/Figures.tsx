import styles from "./Figures.module.css";

export type Figure = [name: string, value: string, hint?: string];

type FiguresProps = { figures: Figure[]; large?: boolean };

/** Numbers that say how something stands, each under its name. */
export function Figures({ figures, large }: FiguresProps) {
  return (
    <dl className={styles.figures} data-large={large || undefined}>
      {figures.map(([name, value, hint]) => (
        <div key={name} title={hint}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
