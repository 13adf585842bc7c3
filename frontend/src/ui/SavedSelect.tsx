import { useMutation } from "@tanstack/react-query";
import { type ComponentProps, useEffect, useId, useRef, useState } from "react";
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
  const held = saving.isPending ? saving.variables : value;
  const send = (wanted: string) => {
    setChosen(null);
    if (wanted !== held) saving.mutate(wanted);
  };
  // As of what is shown now, for the timer and for whoever goes back with the page.
  const latest = useRef(() => {});
  useEffect(() => {
    latest.current = () => chosen !== null && send(chosen);
  });
  const handOn = () => latest.current();
  useEffect(() => () => latest.current(), []);
  useEffect(() => {
    if (chosen === null) return;
    const timer = setTimeout(() => latest.current(), WAIT_MS);
    return () => clearTimeout(timer);
  }, [chosen]);
  const isByKeys = useRef(false);
  return (
    <SelectField
      {...select}
      value={chosen ?? held}
      error={saving.error}
      aria-busy={saving.isPending || undefined}
      onChange={({ target }) => (isByKeys.current ? setChosen : send)(target.value)}
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
