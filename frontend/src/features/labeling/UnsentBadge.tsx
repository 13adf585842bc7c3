import { useState } from "react";
import { mediumOf, OfMedium } from "../../media/MediumContext";
import { Thumbnail } from "../../media/Thumbnail";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { Chip } from "../../ui/Chip";
import { Dialog, DialogActions } from "../../ui/Dialog";
import { Said } from "../../ui/Said";
import type { AnswerSender, SenderView } from "./queue/sender";
import { useSender, useUnsent } from "./SenderProvider";
import styles from "./UnsentBadge.module.css";

/** Says how many answers and decisions wait on this device, and shows those the server refused. */
export function UnsentBadge() {
  const sender = useSender();
  const view = useUnsent();
  const [open, setOpen] = useState(false);
  const stuck = view.state === "retrying" || view.state === "signed_out";
  return (
    <>
      <span role="status" className={styles.badge}>
        {stuck && view.pending.length > 0 && (
          <Chip tone="gold" dot>
            <span className={styles.long}>{t.label.unsent(view.pending.length)}</span>
            <span className={styles.short} aria-hidden="true">
              {view.pending.length}
            </span>
          </Chip>
        )}
      </span>
      {view.rejected.length > 0 && (
        <button type="button" className={styles.rejected} onClick={() => setOpen(true)}>
          <Chip tone="bad">{t.label.rejected(view.rejected.length)}</Chip>
        </button>
      )}
      {open && sender && (
        <RejectedDialog view={view} sender={sender} onClose={() => setOpen(false)} />
      )}
    </>
  );
}

type RejectedDialogProps = { view: SenderView; sender: AnswerSender; onClose: () => void };

function RejectedDialog({ view, sender, onClose }: RejectedDialogProps) {
  const dismiss = async () => {
    await sender.dismissRejected();
    onClose();
  };
  return (
    <Dialog title={t.label.rejectedTitle} onClose={onClose}>
      <p>{t.label.rejectedText}</p>
      <ul className={styles.list}>
        {view.rejected.map((entry) => (
          <li key={entry.key}>
            <OfMedium medium={mediumOf(entry.subject)}>
              <Thumbnail
                example={{ ...entry.subject, id: entry.subject.example_id }}
                itselfUpTo={Number.POSITIVE_INFINITY}
                alt=""
                width={40}
                height={40}
              />
            </OfMedium>
            <span>
              {entry.subject.name || t.label.imageNumber(entry.subject.example_id)}
              <small>
                {t.label.refused[entry.code] ??
                  (entry.detail ? <Said>{entry.detail}</Said> : t.label.refused.other)}
              </small>
            </span>
          </li>
        ))}
      </ul>
      <DialogActions>
        <Button onClick={dismiss}>{t.label.rejectedDismiss}</Button>
        <Button kind="primary" onClick={onClose}>
          {t.common.close}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
