import type { ImageCache } from "./queue/images";
import type { Stopwatch } from "./queue/stopwatch";

/** Let the stopwatch see whether somebody is at work; returns what ends that. */
export function watchAttention(stopwatch: Stopwatch, onVisible: () => void): () => void {
  const onVisibility = () => {
    stopwatch.setVisible(!document.hidden);
    if (!document.hidden) onVisible();
  };
  const touch = () => stopwatch.touch();
  document.addEventListener("visibilitychange", onVisibility);
  window.addEventListener("pointermove", touch, { passive: true });
  window.addEventListener("keydown", touch, { capture: true, passive: true });
  return () => {
    document.removeEventListener("visibilitychange", onVisibility);
    window.removeEventListener("pointermove", touch);
    window.removeEventListener("keydown", touch, { capture: true });
  };
}

type Around<Item> = { current: Item | null; upcoming: Item[]; history: Item[] };

/** Keep the images around one's place: what is shown, the next, the one undo leads to, the others. */
export function keepAround<Item>(
  images: ImageCache,
  { current, upcoming, history }: Around<Item>,
  urlOf: (item: Item) => string,
): void {
  const [next, ...later] = upcoming;
  const around = [current, next, history.at(-1), ...later];
  images.keep(around.flatMap((item) => (item ? [urlOf(item)] : [])));
}
