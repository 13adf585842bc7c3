import { hashKey } from "@tanstack/react-query";
import { useCallback, useRef, useState } from "react";

export type Draft<T> = {
  /** What the server has, with the edits on top. */
  value: T;
  /** The fields that were edited: whatever is set meanwhile in others is not undone by saving them. */
  edits: Partial<T>;
  dirty: boolean;
  set: (value: T) => void;
  discard: () => void;
  /** The edits of this moment, on top of what the server has by now: for what goes on meanwhile. */
  now: (saved: T) => Partial<T>;
  /** Puts other edits in their place. */
  put: (edits: Partial<T>) => void;
  /** Says what is being saved: what goes back to what the server had is an edit until then. */
  sending: (names: (keyof T)[]) => void;
  isSending: (name: keyof T) => boolean;
};

/** Edits on top of what the server has; they survive a reload, and vanish when saved or discarded. */
export function useDraft<T extends object>(key: string, saved: T): Draft<T> {
  const [stored, setStored] = useState<Partial<T>>(() => read<T>(key));
  const latest = useRef(stored);
  const underway = useRef<(keyof T)[]>([]);
  // What the server has come to agree with needs no saving.
  const edits = changes(saved, { ...saved, ...stored });
  const dirty = Object.keys(edits).length > 0;
  const put = useCallback(
    (next: Partial<T>) => {
      latest.current = next;
      // At once: what is saved while the page is left is put away by nobody else.
      if (Object.keys(next).length > 0) sessionStorage.setItem(key, JSON.stringify(next));
      else sessionStorage.removeItem(key);
      setStored(next);
    },
    [key],
  );
  const now = useCallback((saved: T) => changes(saved, { ...saved, ...latest.current }), []);
  const sending = useCallback((names: (keyof T)[]) => {
    underway.current = names;
  }, []);
  const isSending = useCallback((name: keyof T) => underway.current.includes(name), []);
  const set = (value: T) => {
    const kept = underway.current.map((name) => [name, value[name]]);
    put({ ...(Object.fromEntries(kept) as Partial<T>), ...changes(saved, value) });
  };
  const discard = useCallback(() => put({}), [put]);
  return {
    value: { ...saved, ...edits },
    edits,
    dirty,
    set,
    discard,
    now,
    put,
    sending,
    isSending,
  };
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
