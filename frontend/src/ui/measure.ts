const KEY = "karat:key";
const PAINT = "karat:key-to-paint";
const KEPT = 1_000;

/** Note the moment of a key or click that gives a verdict. */
export function markKey(): void {
  performance.clearMarks(KEY);
  performance.mark(KEY);
}

/** Call when the next image is in the document: measures until it has been painted. */
export function measurePaint(): void {
  const start = performance.getEntriesByName(KEY, "mark").at(-1)?.startTime;
  if (start === undefined) return;
  performance.clearMarks(KEY);
  // A message posted from a frame's callback arrives when that frame has been painted; a second
  // frame's callback would add the idle time up to it.
  requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      if (performance.getEntriesByName(PAINT).length >= KEPT) performance.clearMeasures(PAINT);
      performance.measure(PAINT, { start, end: performance.now() });
      port1.close();
    };
    port2.postMessage(null);
  });
}
