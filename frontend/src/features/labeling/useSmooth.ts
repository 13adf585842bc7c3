import { useEffect, useState } from "react";

/** Whether small images are drawn smoothly; remembered on this device. */
export function useSmooth() {
  const [smooth, setSmooth] = useState(() => localStorage.getItem("karat:smooth") === "1");
  useEffect(() => localStorage.setItem("karat:smooth", smooth ? "1" : "0"), [smooth]);
  return [smooth, setSmooth] as const;
}
