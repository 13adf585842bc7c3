import { useEffect, useState } from "react";

const RESTED_MS = 60;

/** The value once it has stayed for a moment: passing over a hundred images asks for none of them. */
export function useRested(value: number): number {
  const [rested, setRested] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), RESTED_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return rested;
}
