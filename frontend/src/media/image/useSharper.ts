import { useEffect } from "react";
import type { Subject } from "../spec";
import { onScreen, SCREEN } from "./urls";

/** Pixels of the screen on the longer side from which the version for screens looks soft. */
const COARSE = 1.25 * SCREEN;
const LINGER_MS = 150;

/**
 * Of a large image that only a smaller version is shown of, show itself where that is too coarse.
 *
 * @param drawn How wide it is on the screen.
 */
export function useSharper(shown: HTMLImageElement | null, subject: Subject, drawn: number): void {
  const { image_url: url } = subject;
  const [width, height] = [subject.width ?? 1, subject.height ?? 1];
  const longer = Math.max(drawn, (drawn * height) / width);
  const isCoarse = url !== onScreen(subject) && longer * devicePixelRatio > COARSE;
  useEffect(() => {
    if (!shown || !isCoarse || shown.getAttribute("src") === url) return;
    let current = true;
    // Who goes on at once needs no more, and the next images come first.
    const timer = setTimeout(() => {
      const whole = new Image();
      whole.src = url;
      // Decoded before it takes the place of what is there, so that nothing flickers.
      whole.decode().then(
        () => {
          if (current) shown.src = url;
        },
        () => {},
      );
    }, LINGER_MS);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [shown, isCoarse, url]);
}
