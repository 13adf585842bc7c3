import { useMutation } from "@tanstack/react-query";
import { type ComponentProps, useCallback, useEffect, useId, useState } from "react";
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
 * A choice that is saved by itself: when it is left, by Enter, or once the keys rest. Arrows change it
 * by one step each, and what they pass is not meant.
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
  return (
    <SelectField
      {...select}
      value={chosen ?? held}
      error={saving.error}
      aria-busy={saving.isPending || undefined}
      onChange={({ target }) => setChosen(target.value)}
      onBlur={handOn}
      onKeyDown={({ key }) => key === "Enter" && handOn()}
    />
  );
}
