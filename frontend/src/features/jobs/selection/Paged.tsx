import type { UseInfiniteQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { t } from "../../../strings";
import { Fetching } from "../../../ui/Fetching";
import { More } from "../../../ui/More";

type PagedProps = {
  found: Pick<
    UseInfiniteQueryResult,
    | "data"
    | "error"
    | "fetchNextPage"
    | "hasNextPage"
    | "isFetchNextPageError"
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
      <Fetching of={found} height="14rem" />
      {children}
      {found.data !== undefined && isEmpty && <p>{text.none}</p>}
      <More list={found} size="small">
        {text.more}
      </More>
    </>
  );
}
