/** Fields that show what they have not handed on. */
export const UNHEARD = "[data-unheard]";

/** Go to the first field under `root` that says what is wrong with it; false where none does. */
export function focusInvalid(root: ParentNode, which = "[aria-invalid=true]"): boolean {
  const invalid = root.querySelector<HTMLElement>(which);
  if (!invalid) return false;
  let around = invalid.closest("details");
  while (around) {
    around.open = true;
    around = around.parentElement?.closest("details") ?? null;
  }
  invalid.focus();
  return true;
}
