import { useEffect, useState } from "react";
import { Skeleton } from "../../ui/State";
import { NotLoaded } from "../NotLoaded";
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
  return <Failed subject={subject} ahead={ahead} />;
}

function Failed({ subject, ahead }: NotShownProps) {
  const reason = useReason(onScreen(subject));
  return (
    <NotLoaded subject={subject} ahead={ahead} className={styles.message}>
      {reason && <p className={styles.reason}>{reason}</p>}
    </NotLoaded>
  );
}

/** What the server says of an image that it does not show; null where it does not say. */
function useReason(url: string): string | null {
  const [reason, setReason] = useState<string | null>(null);
  useEffect(() => {
    let current = true;
    void imageProblem(url).then((found) => current && setReason(found));
    return () => {
      current = false;
    };
  }, [url]);
  return reason;
}
