const listeners = new Set<() => void>();
let version = 0;

/** What is kept of an example that is not sent has changed, or is gone. */
export function draftsChanged(): void {
  version += 1;
  for (const listener of listeners) listener();
}

export function onDrafts(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const draftsVersion = (): number => version;
