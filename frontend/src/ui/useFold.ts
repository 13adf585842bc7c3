import { type ToggleEvent, useState } from "react";

type Fold = { open: boolean; onToggle: (event: ToggleEvent<HTMLDetailsElement>) => void };

/** A part of the set-up that few need at first; a link such as `settings#method` opens it. */
export function useFold(open: boolean, hash: string): Fold {
  const [isOpen, setOpen] = useState(open || window.location.hash === hash);
  return { open: isOpen, onToggle: (event) => setOpen(event.currentTarget.open) };
}
