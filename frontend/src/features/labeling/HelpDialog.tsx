import { useEffect } from "react";
import type { LabelClass } from "../../api/types";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { Dialog, DialogActions } from "../../ui/Dialog";
import { FIXED_KEYS, keyLabel, keyOf } from "../../ui/hotkeys";
import { Kbd } from "../../ui/Kbd";
import styles from "./HelpDialog.module.css";

type HelpDialogProps = { classes: LabelClass[]; guidelines: string; onClose: () => void };

export function HelpDialog({ classes, guidelines, onClose }: HelpDialogProps) {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (["h", "?"].includes(keyOf(event))) onClose();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [onClose]);
  const rows = t.label.helpRows;
  const keys: [string[], string][] = [
    [[FIXED_KEYS.ood], rows.ood],
    [[FIXED_KEYS.unsure], rows.unsure],
    [[FIXED_KEYS.skip], rows.skip],
    [[FIXED_KEYS.undo, "Backspace"], rows.undo],
    [["Enter"], rows.keep],
    [["←", "→"], rows.step],
    [[FIXED_KEYS.find, "/"], rows.find],
    [[FIXED_KEYS.guide], rows.guide],
    [[FIXED_KEYS.pause], rows.pause],
    [["+", "-", "Esc"], rows.enlarge],
    [["⇧ arrows"], rows.pan],
    [[FIXED_KEYS.smooth], rows.zoom],
    [[FIXED_KEYS.help, "?"], rows.help],
  ];
  return (
    <Dialog title={t.label.helpTitle} onClose={onClose} wide>
      <dl className={styles.keys}>
        {classes.map((item) => (
          <div key={item.id}>
            <dt>{item.hotkey && <Kbd>{keyLabel(item.hotkey)}</Kbd>}</dt>
            <dd>{item.name}</dd>
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
      <section>
        <h3>{t.label.guidelines}</h3>
        <p className={styles.guidelines}>{guidelines || t.label.noGuidelines}</p>
      </section>
      <DialogActions>
        <Button kind="primary" onClick={onClose}>
          {t.common.close}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
