let isMeant = false;

/**
 * Go on in a new document: nothing of whoever was here is to stay in the page's memory.
 *
 * Nobody is asked for what is in `askBeforeClosing`. Uploads that run, and verdicts that nothing but the page holds,
 * still have the browser ask: for them it is the last moment.
 */
export function leaveFor(address: string): void {
  isMeant = true;
  window.location.assign(address);
}

/** Have the browser ask whoever closes the tab while something would be lost; returns what ends that. */
export function askBeforeClosing(wouldLose: () => boolean): () => void {
  const ask = (event: BeforeUnloadEvent) => {
    if (!isMeant && wouldLose()) event.preventDefault();
  };
  window.addEventListener("beforeunload", ask);
  return () => window.removeEventListener("beforeunload", ask);
}
