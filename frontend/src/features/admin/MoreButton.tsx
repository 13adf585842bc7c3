import type { UseInfiniteQueryResult } from "@tanstack/react-query";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import styles from "./AdminScreen.module.css";

/** Fetches the next page of a list, as long as there is one. */
export function MoreButton({ list }: { list: UseInfiniteQueryResult }) {
  if (!list.hasNextPage) return null;
  return (
    <div className={styles.more}>
      <Button busy={list.isFetchingNextPage} onClick={() => list.fetchNextPage()}>
        {t.admin.more}
      </Button>
    </div>
  );
}
