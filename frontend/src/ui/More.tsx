import type { UseInfiniteQueryResult } from "@tanstack/react-query";
import { Button } from "./Button";
import styles from "./More.module.css";
import { Said } from "./Said";
import { Notice } from "./State";

type MoreProps = {
  list: Pick<
    UseInfiniteQueryResult,
    "error" | "fetchNextPage" | "hasNextPage" | "isFetchNextPageError" | "isFetchingNextPage"
  >;
  size?: "small";
  children: string;
};

/** Fetches the next page of a list, as long as there is one, and says why it could not be had. */
export function More({ list, children, ...size }: MoreProps) {
  if (!list.hasNextPage) return null;
  return (
    <div className={styles.more}>
      {list.isFetchNextPageError && (
        <Notice tone="bad">
          <Said>{list.error}</Said>
        </Notice>
      )}
      <Button {...size} busy={list.isFetchingNextPage} onClick={() => list.fetchNextPage()}>
        {children}
      </Button>
    </div>
  );
}
