import { useCallback, useEffect, useState } from "react";

export type Draft<T> = {
  value: T;
  dirty: boolean;
  set: (value: T) => void;
  discard: () => void;
};

/** Edits on top of what the server has; they survive a reload, and vanish when saved or discarded. */
export function useDraft<T>(key: string, saved: T): Draft<T> {
  const [edited, setEdited] = useState<T | null>(() => read<T>(key));
  useEffect(() => {
    if (edited === null) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, JSON.stringify(edited));
  }, [key, edited]);
  const discard = useCallback(() => setEdited(null), []);
  return { value: edited ?? saved, dirty: edited !== null, set: setEdited, discard };
}

function read<T>(key: string): T | null {
  const text = sessionStorage.getItem(key);
  return text === null ? null : (JSON.parse(text) as T);
}
