let isMeant = false;

/** Go on in a new document, and ask nobody: nothing of whoever was here is to stay in the page's memory. */
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
