import { useCallback, useEffect, useRef, useState } from "react";

const WAIT_MS = 300;

/** What is typed, handed on once the typing pauses, and shown as it was typed until the field is left. */
export function useTyped(value: string, onChange: (value: string) => void) {
  const [typed, setTyped] = useState<string | null>(null);
  const handedOn = useRef<string | null>(null);
  const handOn = useCallback(() => {
    if (typed === null || typed === handedOn.current) return;
    handedOn.current = typed;
    if (typed !== value) onChange(typed);
  }, [typed, value, onChange]);
  useEffect(() => {
    if (typed === null) return;
    const timer = window.setTimeout(handOn, WAIT_MS);
    return () => window.clearTimeout(timer);
  }, [typed, handOn]);
  const leave = () => {
    handOn();
    handedOn.current = null;
    setTyped(null);
  };
  return { value: typed ?? value, set: setTyped, leave };
}
