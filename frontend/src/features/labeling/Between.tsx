import { t } from "../../strings";
import { Empty, Loading, Skeleton } from "../../ui/State";
import styles from "./LabelScreen.module.css";
import type { SenderView } from "./queue/sender";

/** No image yet: for a moment, or until the answers before have reached the server. */
export function Between({ sending }: { sending: SenderView["state"] }) {
  if (sending === "retrying" || sending === "signed_out")
    return <Empty title={t.label.stuckTitle}>{t.label.stuckText}</Empty>;
  return (
    <div className={styles.between}>
      <Loading>
        <Skeleton width="min(18rem, 50vw)" height="min(18rem, 50vw)" />
      </Loading>
    </div>
  );
}
