import { useEffect } from "react";
import type { LabelClass } from "../../../api/types";
import { t } from "../../../strings";
import { Button } from "../../../ui/Button";
import { Dialog, DialogActions } from "../../../ui/Dialog";
import { FIXED_KEYS, keyLabel, keyOf } from "../../../ui/hotkeys";
import { Kbd } from "../../../ui/Kbd";
import styles from "../HelpDialog.module.css";
import { GRID_KEYS } from "./keys";

type GridHelpProps = { classes: LabelClass[]; onClose: () => void };

export function GridHelp({ classes, onClose }: GridHelpProps) {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (["h", "?"].includes(keyOf(event))) onClose();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [onClose]);
  const free = (key: string) => !classes.some((item) => item.hotkey === key);
  const rows = t.grid.helpRows;
  const keys: [string[], string][] = [
    [["←", "→", "↑", "↓"], rows.move],
    [["Space"], rows.toggle],
    [free(GRID_KEYS.group) ? [GRID_KEYS.group, "Ctrl A"] : ["Ctrl A"], rows.group],
    [["Esc"], rows.clear],
    [["Enter"], rows.confirm],
    [[FIXED_KEYS.undo, "Backspace"], rows.undo],
    [[FIXED_KEYS.smooth], rows.look],
    [["+", "-"], rows.resize],
    ...(free(GRID_KEYS.mode) ? [[[GRID_KEYS.mode], rows.mode] as [string[], string]] : []),
    [[FIXED_KEYS.guide], t.label.helpRows.guide],
    [[FIXED_KEYS.pause], t.label.helpRows.pause],
    [[FIXED_KEYS.help, "?"], rows.help],
  ];
  const verdicts: [string | null, string][] = [
    ...classes.map((item): [string | null, string] => [item.hotkey, item.name]),
    [FIXED_KEYS.ood, t.label.ood],
    [FIXED_KEYS.unsure, t.label.unsure],
    [FIXED_KEYS.skip, t.label.skip],
  ];
  return (
    <Dialog title={t.grid.helpTitle} onClose={onClose} wide>
      <p>{rows.verdict}</p>
      <dl className={styles.keys}>
        {verdicts.map(([key, name]) => (
          <div key={name}>
            <dt>{key && <Kbd>{keyLabel(key)}</Kbd>}</dt>
            <dd>{name}</dd>
          </div>
        ))}
      </dl>
      <dl className={styles.keys}>
        {keys.map(([names, text]) => (
          <div key={text}>
            <dt>
              {names.map((name) => (
                <Kbd key={name}>{keyLabel(name)}</Kbd>
              ))}
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <DialogActions>
        <Button kind="primary" onClick={onClose}>
          {t.common.close}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
