import { hashKey } from "@tanstack/react-query";
import { useCallback, useRef, useState } from "react";
import type { Example, Filters } from "../../api/types";

export type Picked = {
  /** Ids, in no order. */
  ids: ReadonlySet<number>;
  /** Whether all that matches the filters is meant, also what is not loaded. */
  all: boolean;
  toggle: (index: number) => void;
  /** From the image that was picked last to this one. */
  extend: (index: number) => void;
  pickAll: () => void;
  clear: () => void;
};

const NONE: ReadonlySet<number> = new Set();

export function useSelection(examples: Example[], filters: Filters): Picked {
  const [ids, setIds] = useState(NONE);
  const [all, setAll] = useState(false);
  const anchor = useRef(0);
  const toggle = (index: number) => {
    const id = examples[index]?.id;
    if (id === undefined) return;
    anchor.current = index;
    setAll(false);
    setIds((before) => {
      const next = new Set(before);
      if (!next.delete(id)) next.add(id);
      return next;
    });
  };
  const extend = (index: number) => {
    const [from, to] = [Math.min(anchor.current, index), Math.max(anchor.current, index)];
    setAll(false);
    setIds((before) => new Set([...before, ...examples.slice(from, to + 1).map((one) => one.id)]));
  };
  const clear = useCallback(() => {
    setAll(false);
    setIds(NONE);
  }, []);
  // The way back in the browser leads to other filters, too: all that these match was not meant.
  const matching = hashKey([filters]);
  const [chosenOf, setChosenOf] = useState(matching);
  if (chosenOf !== matching) {
    setChosenOf(matching);
    clear();
  }
  return { ids, all, toggle, extend, pickAll: () => setAll(true), clear };
}
