import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { Said } from "../../ui/Said";
import { Notice } from "../../ui/State";
import styles from "./Faults.module.css";
import type { Verdicts } from "./useVerdicts";

const text = t.pool.byHand;

type FaultsProps = {
  of: Verdicts;
  /** The image that is shown, if any. */
  id: number | null;
  onShow?: (id: number) => void;
};

/** Verdicts that were not taken, and why, until somebody has read it. */
export function Faults({ of, id, onShow }: FaultsProps) {
  if (of.faults.length === 0) return null;
  return (
    <div className={styles.faults} data-apart={id === null || undefined}>
      {of.faults.map((fault) => (
        <Notice
          key={fault.id}
          tone="bad"
          actions={
            <>
              {onShow && fault.id !== id && (
                <Button size="small" onClick={() => onShow(fault.id)}>
                  {text.show}
                </Button>
              )}
              <Button size="small" kind="quiet" onClick={() => of.dismiss(fault.id)}>
                {t.pool.dismiss}
              </Button>
            </>
          }
        >
          <strong>{text.refused(fault.name)}</strong>
          <p>
            {"error" in fault ? (
              <Said>{fault.error}</Said>
            ) : (
              (text.reasons[fault.reason] ?? t.pool.reasons[fault.reason] ?? fault.reason)
            )}
          </p>
        </Notice>
      ))}
    </div>
  );
}
