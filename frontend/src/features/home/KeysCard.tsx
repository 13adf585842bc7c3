import { t } from "../../strings";
import { Card } from "../../ui/Card";
import { FIXED_KEYS } from "../../ui/hotkeys";
import { isTouch } from "../../ui/isTouch";
import { Kbd } from "../../ui/Kbd";
import styles from "./MyWork.module.css";

/** What to press while labeling, to learn before the first image. */
export function KeysCard() {
  const rows = t.label.helpRows;
  if (isTouch()) return null;
  const keys: [string[], string][] = [
    [["1", "…", "0"], t.home.keysClasses],
    [[FIXED_KEYS.ood], rows.ood],
    [[FIXED_KEYS.unsure], rows.unsure],
    [[FIXED_KEYS.skip], rows.skip],
    [[FIXED_KEYS.undo], rows.undo],
  ];
  return (
    <Card title={t.home.keys} hint={t.home.allKeys}>
      <dl className={styles.keys}>
        {keys.map(([names, text]) => (
          <div key={text}>
            <dt>
              {names.map((name) =>
                name === "…" ? name : <Kbd key={name}>{name.toUpperCase()}</Kbd>,
              )}
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}
