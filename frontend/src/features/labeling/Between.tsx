import { NetworkError } from "../../api/errors";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { Empty, Failure, Loading, Skeleton } from "../../ui/State";
import styles from "./LabelScreen.module.css";
import type { QueueView } from "./queue/pace";
import type { SenderView } from "./queue/sender";

type BetweenProps = {
  view: Pick<QueueView<unknown>, "phase" | "error"> & { current?: unknown };
  sending: SenderView["state"];
  onRetry: () => void;
};

/** No image: for a moment, until the answers before have reached the server, or for a reason that is told. */
export function Between({ view: { phase, current, error }, sending, onRetry }: BetweenProps) {
  const stuck = sending === "retrying" || sending === "signed_out";
  if (phase === "loading" && !current)
    return (
      <div className={styles.between}>
        {stuck ? (
          <Empty title={t.label.stuckTitle}>{t.label.stuckText}</Empty>
        ) : (
          <Loading>
            <Skeleton width="min(18rem, 50vw)" height="min(18rem, 50vw)" />
          </Loading>
        )}
      </div>
    );
  if (phase !== "failed" || !error) return null;
  if (!(error instanceof NetworkError)) return <Failure error={error} onRetry={onRetry} />;
  // Without a network nothing is lost, and it goes on by itself: no alarm.
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
