import { type ReactNode, useState } from "react";
import type { Mode } from "../features/labeling/modes";

type OpenedProps = {
  /** The mode to label in. */
  mode: Mode;
  /** The mode of this page. */
  here: Mode;
  otherwise: (mode: Mode) => ReactNode;
  children: ReactNode;
};

/** A page for one mode. Which one it is to be is asked as it opens: later it would take the images at hand away. */
export function Opened({ mode, here, otherwise, children }: OpenedProps) {
  const [chosen] = useState(mode);
  return chosen === here ? children : otherwise(chosen);
}
