import { Listeners } from "../lib/listeners";

/** Holders at present; nearly always none or one. */
const holders = new Listeners();
let typed = "";

/** What was typed while keys were held, for the field that opens now. */
export const typedWhileHeld = (): string => typed;

/**
 * Keep every key from the page until what a key has asked for is there.
 *
 * @param onEscape Escape asks for it no longer.
 * @returns Lets keys through again; what was typed is forgotten then.
 */
export function holdKeys(onEscape: () => void): () => void {
  const letGo = holders.subscribe(onEscape);
  return () => {
    letGo();
    if (holders.size === 0) typed = "";
  };
}

function onKey(event: KeyboardEvent): void {
  if (holders.size === 0 || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  if (event.key === "Escape") holders.tell();
  else if (event.key === "Backspace") typed = typed.slice(0, -1);
  else if (event.key.length === 1) typed += event.key;
}

// From the beginning, so that it hears keys before any part of a page does.
window.addEventListener("keydown", onKey, { capture: true });
