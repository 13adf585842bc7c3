type Listener = () => void;

/** Something that any request may come upon, for the page around all others to act on. */
function signal() {
  const listeners = new Set<Listener>();
  return {
    on: (listener: Listener): (() => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    announce: () => {
      for (const listener of listeners) listener();
    },
  };
}

/** The server no longer knows the session. */
export const { on: onSignedOut, announce: announceSignedOut } = signal();

/** The server wants something of who is signed in first, as a password of their own. */
export const { on: onUnsettled, announce: announceUnsettled } = signal();
