import { t } from "../../strings";
import { formatChance } from "../../ui/format";
import { ariaKey, FIXED_KEYS, keyLabel } from "../../ui/hotkeys";
import { type Choice, isSameVerdict } from "../choice";
import type { PanelProps } from "../spec";
import { FindButton, UndoButton, VerdictButton, type VerdictButtonProps } from "../VerdictButton";
import styles from "./Panel.module.css";

/** More classes than this stand in two columns. */
const MANY = 10;

export function Panel(props: PanelProps) {
  const { classes, given, flashed, disabled, unseen, canUndo, onAnswer, onUndo, onFind } = props;
  const { suggested = null } = props;
  const button = (choice: Choice, hotkey: string | null, name: string, look: Look) => (
    <VerdictButton
      key={`${choice.verdict}-${choice.classId}`}
      {...look}
      name={name}
      shortcut={hotkey ? ariaKey(hotkey) : undefined}
      shown={hotkey ? keyLabel(hotkey) : undefined}
      pressed={given ? isSameVerdict(given, choice) : undefined}
      flashed={isSameVerdict(flashed, choice)}
      disabled={disabled || (unseen && choice.verdict !== "skip")}
      onClick={() => onAnswer(choice)}
    />
  );
  return (
    <fieldset className={styles.panel} aria-label={t.label.verdicts}>
      {suggested && (
        <div className={styles.suggested}>
          <span>{t.predictions.label.suggests(suggested.model)}</span>
          <VerdictButton
            width="third"
            name={t.predictions.label.take(
              suggested.name,
              suggested.score === null ? null : formatChance(suggested.score),
            )}
            shortcut="Enter"
            shown="Enter"
            disabled={disabled || unseen}
            onClick={() => onAnswer({ verdict: "label", classId: suggested.classId })}
          />
        </div>
      )}
      <div
        className={styles.classes}
        data-many={classes.length > MANY || undefined}
        data-beside={classes.length > MANY || undefined}
      >
        {classes.map(({ id, hotkey, name, colour }) =>
          button({ verdict: "label", classId: id }, hotkey, name, { mark: "colour", colour }),
        )}
      </div>
      {classes.some((item) => !item.hotkey) && (
        <FindButton disabled={disabled || unseen} onFind={onFind} />
      )}
      {button({ verdict: "ood", classId: null }, FIXED_KEYS.ood, t.label.ood, {
        className: styles.ood,
        mark: "hatch",
        title: t.glossary.words.none.text,
      })}
      <div className={styles.others}>
        {button({ verdict: "unsure", classId: null }, FIXED_KEYS.unsure, t.label.unsure, {
          width: "third",
        })}
        {button({ verdict: "skip", classId: null }, FIXED_KEYS.skip, t.label.skip, {
          width: "third",
        })}
        <UndoButton name={t.label.undo} canUndo={canUndo} onUndo={onUndo} />
      </div>
    </fieldset>
  );
}

type Look = Pick<VerdictButtonProps, "className" | "colour" | "mark" | "title" | "width">;
