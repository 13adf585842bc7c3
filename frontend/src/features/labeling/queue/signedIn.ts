const STORAGE_KEY = "karat:signed-in";

/** All tabs share one cookie; the one that last saw who it belongs to says so here. */
export function noteSignedIn(userId: number): void {
  try {
    localStorage.setItem(STORAGE_KEY, String(userId));
  } catch {
    // Tabs then learn of another sign-in only when they are loaded again.
  }
}

/** Whether the browser's requests count as this user's, as far as its tabs know. */
export function isSignedIn(userId: number): boolean {
  try {
    return (localStorage.getItem(STORAGE_KEY) ?? String(userId)) === String(userId);
  } catch {
    return true;
  }
}

/** Be told when another tab has signed in as somebody else. */
export function onOtherUser(userId: number, listener: () => void): () => void {
  const onStorage = ({ key }: StorageEvent) => {
    if (key === STORAGE_KEY && !isSignedIn(userId)) listener();
  };
  window.addEventListener("storage", onStorage);
  return () => window.removeEventListener("storage", onStorage);
}
