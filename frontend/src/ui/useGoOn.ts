import { useCallback, useEffect, useRef } from "react";
import { type NavigateOptions, type To, useNavigate } from "react-router";

/** Where to go on once something is done; whoever has left the page by then stays where they are. */
export function useGoOn(): (to: To, options?: NavigateOptions) => void {
  const navigate = useNavigate();
  const isHere = useRef(false);
  useEffect(() => {
    isHere.current = true;
    return () => {
      isHere.current = false;
    };
  }, []);
  return useCallback(
    (to, options) => {
      if (isHere.current) void navigate(to, options);
    },
    [navigate],
  );
}
