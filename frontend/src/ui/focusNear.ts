const CONTROLS = "a[href], button:not(:disabled), summary, [tabindex='0']";

/** What is around an element, from the inside to the outside. */
export function around(element: Element | null): Element[] {
  const found: Element[] = [];
  for (let at = element?.parentElement; at; at = at.parentElement) found.push(at);
  return found;
}

/** Go to the first control beside what is gone: in the innermost of `places` that is still there and has one. */
export function focusNear(places: readonly Element[]): void {
  for (const place of places) {
    const control = place.isConnected && place.querySelector<HTMLElement>(CONTROLS);
    if (!control) continue;
    control.focus({ preventScroll: true });
    return;
  }
}
