type Listener = () => void;

const listeners = new Set<Listener>();

/** Be told when the server no longer knows the session. */
export function onSignedOut(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function announceSignedOut(): void {
  for (const listener of listeners) listener();
}
