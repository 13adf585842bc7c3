import { useCallback } from "react";
import { useSearchParams } from "react-router";

/** Whether the guide is open is part of the address, so that a link can show it. */
export function useGuide() {
  const [params, setParams] = useSearchParams();
  const open = params.has("guide");
  const toggle = useCallback(
    () => setParams((now) => (now.has("guide") ? {} : { guide: "" }), { replace: true }),
    [setParams],
  );
  const close = useCallback(() => setParams({}, { replace: true }), [setParams]);
  return [open, toggle, close] as const;
}
