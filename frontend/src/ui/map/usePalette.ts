import { type RefObject, useLayoutEffect, useState } from "react";
import type { Palette } from "./scene";

const NAMES = {
  surface: "--surface",
  ink: "--ink",
  ink2: "--ink-2",
  gold: "--gold",
  goldInk: "--gold-ink",
  nothing: "--nothing",
  queued: "--queued",
  ood: "--ood",
} as const;

/** The page's colours as a canvas takes them, and again when the system or its user changes the scheme. */
export function usePalette(ref: RefObject<HTMLElement | null>): Palette | null {
  const [palette, setPalette] = useState<Palette | null>(null);
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    const read = () => setPalette(paletteOf(element));
    read();
    const dark = window.matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", read);
    const chosen = new MutationObserver(read);
    chosen.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    return () => {
      dark.removeEventListener("change", read);
      chosen.disconnect();
    };
  }, [ref]);
  return palette;
}

function paletteOf(element: HTMLElement): Palette {
  // A computed colour is plain, where a custom property still says light-dark().
  const probe = element.appendChild(document.createElement("span"));
  const read = (name: string) => {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  };
  const found = Object.fromEntries(
    Object.entries(NAMES).map(([key, name]) => [key, read(name)]),
  ) as Record<keyof typeof NAMES, string>;
  probe.remove();
  const [red = 90, green = 90, blue = 85] = (found.ink2.match(/\d+(\.\d+)?/g) ?? []).map(Number);
  return { ...found, points: [red, green, blue] };
}
