import type { Ahead, Content } from "../../media/spec";
import type { Pause } from "./queue/pace";
import { AWAY_MS, type Stopwatch } from "./queue/stopwatch";

const LOOK_MS = 5_000;
/** How many examples of verdicts given are kept at hand. */
const BEHIND = 10;

type Place = {
  getView(): { current: unknown; paused: Pause | null };
  wake(): void;
  pause(why: Pause): void;
  resume(): void;
};

/**
 * Let the stopwatch see whether somebody is at work; returns what ends that.
 *
 * When nobody was there for long the place in the queue is left to others, until a sign of life.
 */
export function watchAttention(stopwatch: Stopwatch, place: Place): () => void {
  const sign = (event?: Event) => {
    stopwatch.touch();
    if (place.getView().paused !== "away") return;
    place.resume();
    // The key says that somebody is back, and nothing of the image under the cover.
    if (event?.type === "keydown") event.stopImmediatePropagation();
  };
  const onVisibility = () => {
    stopwatch.setVisible(!document.hidden);
    if (document.hidden) return;
    sign();
    place.wake();
  };
  const timer = setInterval(() => {
    if (place.getView().current && stopwatch.quietMs >= AWAY_MS) place.pause("away");
  }, LOOK_MS);
  document.addEventListener("visibilitychange", onVisibility);
  const options = { capture: true, passive: true };
  const signs = ["pointermove", "pointerdown", "wheel", "keydown"] as const;
  for (const name of signs) window.addEventListener(name, sign, options);
  return () => {
    clearInterval(timer);
    document.removeEventListener("visibilitychange", onVisibility);
    for (const name of signs) window.removeEventListener(name, sign, options);
  };
}

type Around<Item> = { current: Item | null; upcoming: Item[]; history: Item[] };

/** Keep the examples around one's place: what is shown, the next, the one undo leads to, the others. */
export function keepAround<Item>(
  ahead: Ahead,
  { current, upcoming, history }: Around<Item>,
  contentOf: (item: Item) => Content,
): void {
  const [next, ...later] = upcoming;
  // Those behind are there already, and are shown at once when they are opened again.
  const behind = history.slice(-BEHIND, -1);
  const around = [current, next, history.at(-1), ...later, ...behind];
  ahead.keep(around.flatMap((item) => (item ? [contentOf(item)] : [])));
}
