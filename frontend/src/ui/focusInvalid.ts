/** Go to the first field under `root` that says what is wrong with it; false where none does. */
export function focusInvalid(root: ParentNode): boolean {
  const invalid = root.querySelector<HTMLElement>("[aria-invalid=true]");
  if (!invalid) return false;
  let around = invalid.closest("details");
  while (around) {
    around.open = true;
    around = around.parentElement?.closest("details") ?? null;
  }
  invalid.focus();
  return true;
}
