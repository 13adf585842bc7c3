/** On `mousedown`: a click leaves the keys with what has the focus. */
export function keepFocus(event: { preventDefault: () => void }): void {
  event.preventDefault();
}
