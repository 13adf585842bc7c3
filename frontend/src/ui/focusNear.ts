const CONTROLS = "a[href], button:not(:disabled), summary, [tabindex='0']";
/** Milliseconds in which what was done in a dialog may still take its opener off the page. */
const SETTLED_MS = 3_000;

/** What is around an element, from the inside to the outside. */
export function around(element: Element | null): Element[] {
  const found: Element[] = [];
  for (let at = element?.parentElement; at; at = at.parentElement) found.push(at);
  return found;
}

/**
 * Once a dialog has closed and `opener` has the focus again: should it go, now or soon, the first
 * control beside it gets the focus, in the innermost of `places` that is still there and has one.
 */
export function stayNear(opener: Element, places: readonly Element[]): void {
  const watch = new MutationObserver(() => {
    if (opener.isConnected) return;
    watch.disconnect();
    // Whoever has gone elsewhere meanwhile stays there.
    if (document.activeElement === document.body) focusFirst(places);
  });
  watch.observe(document.body, { childList: true, subtree: true });
  setTimeout(() => watch.disconnect(), SETTLED_MS);
}

function focusFirst(places: readonly Element[]): void {
  for (const place of places) {
    const control = place.isConnected && place.querySelector<HTMLElement>(CONTROLS);
    if (!control) continue;
    control.focus({ preventScroll: true });
    return;
  }
}
