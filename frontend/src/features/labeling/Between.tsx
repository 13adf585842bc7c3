import { NetworkError } from "../../api/errors";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { Empty, Failure, Loading, Skeleton } from "../../ui/State";
import styles from "./LabelScreen.module.css";
import type { SenderView } from "./queue/sender";

type Sending = { sending: SenderView["state"] };

/** No image yet: for a moment, or until the answers before have reached the server. */
export function Between({ sending }: Sending) {
  return (
    <div className={styles.between}>
      {isStuck(sending) ? (
        <Empty title={t.label.stuckTitle}>{t.label.stuckText}</Empty>
      ) : (
        <Loading>
          <Skeleton width="min(18rem, 50vw)" height="min(18rem, 50vw)" />
        </Loading>
      )}
    </div>
  );
}

type StoppedProps = Sending & { error: Error; onRetry: () => void };

/** Why no image comes. Without a network nothing is lost, and it goes on by itself: no alarm. */
export function Stopped({ sending, error, onRetry }: StoppedProps) {
  if (!(error instanceof NetworkError)) return <Failure error={error} onRetry={onRetry} />;
  const stuck = isStuck(sending);
  return (
    // What waits to be sent is told by its badge.
    <div role={stuck ? undefined : "status"} className={styles.between}>
      <Empty
        title={stuck ? t.label.stuckTitle : t.common.unreachable}
        actions={<Button onClick={onRetry}>{t.common.retry}</Button>}
      >
        {stuck ? t.label.stuckText : t.common.tryingAgain}
      </Empty>
    </div>
  );
}

const isStuck = (sending: SenderView["state"]) =>
  sending === "retrying" || sending === "signed_out";
