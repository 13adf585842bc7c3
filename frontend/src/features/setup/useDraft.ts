import { hashKey } from "@tanstack/react-query";
import { useCallback, useEffect, useState } from "react";

export type Draft<T> = {
  /** What the server has, with the edits on top. */
  value: T;
  /** Only what was edited: whatever else changes meanwhile is not undone by saving it. */
  edits: Partial<T>;
  dirty: boolean;
  set: (value: T) => void;
  discard: () => void;
};

/** Edits on top of what the server has; they survive a reload, and vanish when saved or discarded. */
export function useDraft<T extends object>(key: string, saved: T): Draft<T> {
  const [edits, setEdits] = useState<Partial<T>>(() => read<T>(key));
  const dirty = Object.keys(edits).length > 0;
  useEffect(() => {
    if (dirty) sessionStorage.setItem(key, JSON.stringify(edits));
    else sessionStorage.removeItem(key);
  }, [key, edits, dirty]);
  const set = (value: T) => setEdits(changes(saved, value));
  const discard = useCallback(() => setEdits({}), []);
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
