import { type ReactNode, useEffect } from "react";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { Dialog, DialogActions } from "../../ui/Dialog";
import { KEY_DIALOGS, keyLabel, keyOf } from "../../ui/hotkeys";
import { Kbd } from "../../ui/Kbd";
import styles from "./HelpFrame.module.css";

/** Keys, and what they do; what has no key is told all the same. */
export type KeyRow = [keys: string[], meaning: string];

type HelpFrameProps = {
  title: string;
  verdicts: KeyRow[];
  keys: KeyRow[];
  onClose: () => void;
  intro?: ReactNode;
  children?: ReactNode;
};

/** What each key does; the keys that open it close it again. */
export function HelpFrame({ title, verdicts, keys, onClose, intro, children }: HelpFrameProps) {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (KEY_DIALOGS.label.help.includes(keyOf(event))) onClose();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [onClose]);
  return (
    <Dialog title={title} onClose={onClose} wide>
      {intro}
      <KeyList rows={verdicts} />
      <KeyList rows={keys} />
      {children}
      <DialogActions>
        <Button kind="primary" onClick={onClose}>
          {t.common.close}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

function KeyList({ rows }: { rows: KeyRow[] }) {
  return (
    <dl className={styles.keys}>
      {rows.map(([keys, meaning]) => (
        <div key={meaning}>
          <dt>
            {keys.map((key) => (
              <Kbd key={key}>{keyLabel(key)}</Kbd>
            ))}
          </dt>
          <dd>{meaning}</dd>
        </div>
      ))}
    </dl>
  );
}
