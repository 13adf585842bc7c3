import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import { meQuery } from "../api/auth";
import type { Me } from "../api/types";

/**
 * Who is signed in, or was when the session ended: a page in which something is typed stays, and they are asked to sign
 * in over it. Null for whoever never was.
 */
export function useSignedIn(): { user: Me | null; me: UseQueryResult<Me | null> } {
  const me = useQuery(meQuery);
  const last = useRef<Me | null>(null);
  if (me.data) last.current = me.data;
  return { user: last.current, me };
}
