import { type UseQueryResult, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { meQuery } from "../api/auth";
import { onUnsettled } from "../api/session";
import type { Me } from "../api/types";

/**
 * Who is signed in, or was when the session ended: a page in which something is typed stays, and they are asked to sign
 * in over it. Null for whoever never was.
 */
export function useSignedIn(): { user: Me | null; me: UseQueryResult<Me | null> } {
  const me = useQuery(meQuery);
  const client = useQueryClient();
  useEffect(
    () => onUnsettled(() => void client.invalidateQueries({ queryKey: meQuery.queryKey })),
    [client],
  );
  const last = useRef<Me | null>(null);
  if (me.data) last.current = me.data;
  return { user: last.current, me };
}
