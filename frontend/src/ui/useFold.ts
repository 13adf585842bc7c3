import { type ToggleEvent, useEffect, useState } from "react";
import { useLocation } from "react-router";

type Fold = { open: boolean; onToggle: (event: ToggleEvent<HTMLDetailsElement>) => void };

/** A part of a page that few need at first; a link such as `settings#method` opens it. */
export function useFold(open: boolean, target: string): Fold {
  const { hash, key } = useLocation();
  const [isOpen, setOpen] = useState(open || hash === target);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a link that is followed again, too.
  useEffect(() => {
    if (hash === target) setOpen(true);
  }, [hash, key, target]);
  return { open: isOpen, onToggle: (event) => setOpen(event.currentTarget.open) };
}
