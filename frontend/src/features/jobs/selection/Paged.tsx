import type { UseInfiniteQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { t } from "../../../strings";
import { Button } from "../../../ui/Button";
import { Failure, Loading, Skeleton } from "../../../ui/State";

type PagedProps = {
  found: Pick<
    UseInfiniteQueryResult,
    | "data"
    | "error"
    | "fetchNextPage"
    | "hasNextPage"
    | "isFetchingNextPage"
    | "isPending"
    | "refetch"
  >;
  isEmpty: boolean;
  children: ReactNode;
};

/** A list that comes page by page: what is there so far, and a button for more. */
export function Paged({ found, isEmpty, children }: PagedProps) {
  const text = t.selection;
  return (
    <>
      {found.isPending && (
        <Loading>
          <Skeleton height="14rem" />
        </Loading>
      )}
      {found.error && <Failure error={found.error} onRetry={() => found.refetch()} />}
      {children}
      {found.data !== undefined && isEmpty && <p>{text.none}</p>}
      {found.hasNextPage && (
        <Button size="small" busy={found.isFetchingNextPage} onClick={() => found.fetchNextPage()}>
          {text.more}
        </Button>
      )}
    </>
  );
}
