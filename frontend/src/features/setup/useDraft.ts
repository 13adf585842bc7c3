import { hashKey } from "@tanstack/react-query";
import { useCallback, useEffect, useState } from "react";

export type Draft<T> = {
  /** What the server has, with the edits on top. */
  value: T;
  /** The fields that were edited: whatever is set meanwhile in others is not undone by saving them. */
  edits: Partial<T>;
  dirty: boolean;
  set: (value: T) => void;
  discard: () => void;
};

/** Edits on top of what the server has; they survive a reload, and vanish when saved or discarded. */
export function useDraft<T extends object>(key: string, saved: T): Draft<T> {
  const [stored, setStored] = useState<Partial<T>>(() => read<T>(key));
  // What the server has come to agree with needs no saving.
  const edits = changes(saved, { ...saved, ...stored });
  const dirty = Object.keys(edits).length > 0;
  useEffect(() => {
    if (Object.keys(stored).length > 0) sessionStorage.setItem(key, JSON.stringify(stored));
    else sessionStorage.removeItem(key);
  }, [key, stored]);
  const set = (value: T) => setStored(changes(saved, value));
  const discard = useCallback(() => setStored({}), []);
  return { value: { ...saved, ...edits }, edits, dirty, set, discard };
}

/** Return what of `value` is not what `saved` has. */
export function changes<T extends object>(saved: T, value: T): Partial<T> {
  const names = Object.keys(value) as (keyof T)[];
  const changed = names.filter((name) => hashKey([value[name]]) !== hashKey([saved[name]]));
  return Object.fromEntries(changed.map((name) => [name, value[name]])) as Partial<T>;
}

function read<T>(key: string): Partial<T> {
  const text = sessionStorage.getItem(key);
  return text === null ? {} : (JSON.parse(text) as Partial<T>);
}
