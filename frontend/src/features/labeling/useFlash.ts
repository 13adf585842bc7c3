import { useEffect, useState } from "react";

/** The verdict just given, for as long as its button lights up. */
export function useFlash<Choice>() {
  const [flashed, setFlashed] = useState<Choice | null>(null);
  useEffect(() => {
    if (!flashed) return;
    const timer = setTimeout(() => setFlashed(null), 320);
    return () => clearTimeout(timer);
  }, [flashed]);
  return [flashed, setFlashed] as const;
}
