import { useCallback, useEffect, useState } from "react";
import { isElsewhere } from "../../ui/hotkeys";
import { useKeyDown } from "../../ui/useKeyDown";

/** How large letters can be, in percent of the usual. */
export const SIZES = [80, 90, 100, 115, 130, 150, 175, 200] as const;
export type TextSize = (typeof SIZES)[number];

const KEY = "karat:text-size";
const USUAL: TextSize = 100;

const next = (size: TextSize, by: 1 | -1): TextSize => SIZES[SIZES.indexOf(size) + by] ?? size;

/** How large letters are, by buttons and by plus and minus; remembered on this device. */
export function useTextSize() {
  const [size, setSize] = useState<TextSize>(() => {
    const stored = Number(localStorage.getItem(KEY));
    return SIZES.find((one) => one === stored) ?? USUAL;
  });
  useEffect(() => localStorage.setItem(KEY, String(size)), [size]);
  const change = useCallback((by: 1 | -1) => setSize((now) => next(now, by)), []);
  const reset = useCallback(() => setSize(USUAL), []);
  useKeyDown((event) => {
    // In the row of digits some layouts have signs that are classes' keys here.
    if (isElsewhere(event) || /^Digit/.test(event.code)) return;
    if (event.key === "+" || event.key === "=") change(1);
    else if (event.key === "-") change(-1);
    else return;
    event.preventDefault();
  });
  return { size, change, reset };
}
