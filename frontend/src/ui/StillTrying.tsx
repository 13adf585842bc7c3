import { type Query, useIsFetching } from "@tanstack/react-query";
import { t } from "../strings";
import styles from "./StillTrying.module.css";

/** Says why a page stays empty while what belongs there is asked for again; in the end the page itself says so. */
export function StillTrying() {
  const isTrying = useIsFetching({ predicate: hasFailed }) > 0;
  return (
    <div role="status" className={styles.place}>
      {isTrying && <p className={styles.words}>{t.common.tryingAgain}</p>}
    </div>
  );
}

/** What was there before is shown meanwhile. */
const hasFailed = ({ state }: Query): boolean =>
  state.data === undefined && state.fetchFailureCount > 0;
