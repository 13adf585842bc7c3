import { useEffect, useState } from "react";
import type { Medium } from "../strings/medium";

const KEYS: Record<Medium, string> = { image: "karat:smooth", text: "karat:mono" };

/** Whether examples are drawn the other way, see `StageProps`; remembered on this device. */
export function useAlternate(medium: Medium) {
  const [alternate, setAlternate] = useState(() => localStorage.getItem(KEYS[medium]) === "1");
  useEffect(() => localStorage.setItem(KEYS[medium], alternate ? "1" : "0"), [medium, alternate]);
  return [alternate, setAlternate] as const;
}
