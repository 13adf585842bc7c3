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
  // The first frame paints the image; the callback of the second runs after that.
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      if (performance.getEntriesByName(PAINT).length >= KEPT) performance.clearMeasures(PAINT);
      performance.measure(PAINT, { start, end: performance.now() });
    }),
  );
}
