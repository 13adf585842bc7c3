import type { ReactNode } from "react";
import { t } from "../../strings";
import type { KeyRow } from "../../tasks/spec";
import { Button } from "../../ui/Button";
import { Dialog, DialogActions } from "../../ui/Dialog";
import { askedBy, KEY_DIALOGS, keyLabel } from "../../ui/hotkeys";
import { isTouch } from "../../ui/isTouch";
import { Kbd } from "../../ui/Kbd";
import { useKeyDown } from "../../ui/useKeyDown";
import styles from "./HelpFrame.module.css";

/** Keys, and what they do; what has no key is told all the same. */
type HelpFrameProps = {
  title: string;
  verdicts: KeyRow[];
  keys: KeyRow[];
  /** What fingers do: told in place of the keys where there are none. */
  touch: string[];
  onClose: () => void;
  intro?: ReactNode;
  children?: ReactNode;
};

/** What each key does; the keys that open it close it again. */
export function HelpFrame(props: HelpFrameProps) {
  const { title, verdicts, keys, touch, onClose, intro, children } = props;
  const byFinger = isTouch();
  useKeyDown((event) => {
    if (askedBy(event, (key) => KEY_DIALOGS.label.help.includes(key) || null)) onClose();
  });
  return (
    <Dialog title={byFinger ? t.label.touch.title : title} onClose={onClose} wide>
      {byFinger ? (
        <ul className={styles.touch}>
          {touch.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      ) : (
        <>
          {intro}
          {verdicts.length > 0 && <KeyList rows={verdicts} />}
          <KeyList rows={keys} />
        </>
      )}
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
