import { type Query, useIsFetching } from "@tanstack/react-query";
import { NetworkError } from "../api/errors";
import { t } from "../strings";
import styles from "./StillTrying.module.css";

/** Says why a page or a dialog stays empty while what belongs there is asked for again; in the end that itself says so. */
export function StillTrying() {
  const isTrying = useIsFetching({ predicate: hasFailed }) > 0;
  return (
    <div aria-live="polite" className={styles.place}>
      {isTrying && <p className={styles.words}>{t.common.tryingAgain}</p>}
    </div>
  );
}

/** What was there is shown meanwhile; a server that refuses is not away, and some only ask ahead. */
const hasFailed = (query: Query): boolean =>
  query.isActive() &&
  query.state.data === undefined &&
  query.state.fetchFailureReason instanceof NetworkError;
