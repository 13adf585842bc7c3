import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { formatBytes } from "../../ui/format";
import { Meter } from "../../ui/Meter";
import { Said } from "../../ui/Said";
import { Notice } from "../../ui/State";
import styles from "./ImagesCard.module.css";
import type { UploadEntry } from "./uploads";

type UploadListProps = { entries: readonly UploadEntry[]; onRemove: (id: number) => void };

export function UploadList({ entries, onRemove }: UploadListProps) {
  return (
    <ul className={styles.list}>
      {entries.map((entry) => (
        <li key={entry.id}>
          {entry.state === "failed" ? (
            <Notice
              tone="bad"
              actions={
                <Button size="small" onClick={() => onRemove(entry.id)}>
                  {t.common.remove}
                </Button>
              }
            >
              <strong>{t.setup.uploadFailed(entry.name)}</strong> <Said>{entry.error}</Said>
            </Notice>
          ) : (
            <div className={styles.item}>
              <div style={{ flex: 1, minWidth: 0 }}>
                <Meter
                  label={labelOf(entry)}
                  value={entry.sent}
                  max={entry.total}
                  text={entry.total ? formatBytes(entry.total) : ""}
                />
              </div>
              <Button size="small" kind="quiet" onClick={() => onRemove(entry.id)}>
                {t.setup.stop}
              </Button>
            </div>
          )}
        </li>
      ))}
    </ul>
  );
}

function labelOf({ name, files, state, sent, total }: UploadEntry): string {
  if (state === "packing") return t.setup.packing(name, files);
  return t.setup.uploading(name, total ? Math.floor((100 * sent) / total) : 0);
}
