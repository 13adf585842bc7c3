import { useEffect, useState } from "react";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { Skeleton } from "../../ui/State";
import type { Ahead, Subject } from "../spec";
import styles from "./ImageStage.module.css";
import { imageProblem, onScreen } from "./urls";

type NotShownProps = { subject: Subject; ahead: Ahead };

/** In place of an image that is not there yet, or will not be. */
export function NotShown({ subject, ahead }: NotShownProps) {
  if (ahead.get(subject)?.state !== "failed") {
    return (
      <div className={styles.message}>
        <Skeleton width="min(22rem, 60vw)" height="min(22rem, 60vw)" />
      </div>
    );
  }
  return (
    <div className={styles.message} role="alert" data-query-id={subject.query_id}>
      <p>{t.label.imageFailed}</p>
      <Reason url={onScreen(subject)} />
      <Button onClick={() => ahead.retry(subject)}>{t.common.retry}</Button>
    </div>
  );
}

/** What the server says of an image that it does not show. */
function Reason({ url }: { url: string }) {
  const [reason, setReason] = useState<string | null>(null);
  useEffect(() => {
    let current = true;
    void imageProblem(url).then((found) => current && setReason(found));
    return () => {
      current = false;
    };
  }, [url]);
  return reason && <p className={styles.reason}>{reason}</p>;
}
