import { useMutation } from "@tanstack/react-query";
import { type ComponentProps, useCallback, useEffect, useId, useRef, useState } from "react";
import { SelectField } from "./Field";

/** Longer than between two keys, also of somebody who listens to each choice. */
const WAIT_MS = 1_000;

type SavedSelectProps = Omit<ComponentProps<typeof SelectField>, "value" | "onChange" | "error"> & {
  /** What holds. */
  value: string;
  save: (value: string) => Promise<unknown>;
  /** Reads anew what holds. */
  onSettled: () => unknown;
};

/**
 * A choice that is saved by itself: at once; of one that is made by keys when it is left, by Enter, or
 * once they rest. Arrows change it by one step each, and what they pass is not meant.
 */
export function SavedSelect({ value, save, onSettled, ...select }: SavedSelectProps) {
  const [chosen, setChosen] = useState<string | null>(null);
  const saving = useMutation({ mutationFn: save, onSettled, scope: { id: useId() } });
  const { mutate } = saving;
  const held = saving.isPending ? saving.variables : value;
  const handOn = useCallback(() => {
    setChosen(null);
    if (chosen !== null && chosen !== held) mutate(chosen);
  }, [chosen, held, mutate]);
  useEffect(() => {
    if (chosen === null) return;
    const timer = setTimeout(handOn, WAIT_MS);
    return () => clearTimeout(timer);
  }, [chosen, handOn]);
  const isByKeys = useRef(false);
  useEffect(() => {
    if (!isByKeys.current) handOn();
  }, [handOn]);
  // Whoever goes back with the page leaves it, too.
  const latest = useRef(handOn);
  useEffect(() => {
    latest.current = handOn;
  }, [handOn]);
  useEffect(() => () => latest.current(), []);
  return (
    <SelectField
      {...select}
      value={chosen ?? held}
      error={saving.error}
      aria-busy={saving.isPending || undefined}
      onChange={({ target }) => setChosen(target.value)}
      onBlur={handOn}
      onPointerDown={() => {
        isByKeys.current = false;
      }}
      onKeyDown={({ key }) => {
        isByKeys.current = true;
        if (key === "Enter") handOn();
      }}
    />
  );
}
