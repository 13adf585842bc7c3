import { uuid } from "./uuid";

const STORAGE_KEY = "karat:client";
const LOCK = "karat-client-";
const CHANNEL = "karat-client";
/** How long other tabs have to answer. */
const ANSWER_MS = 60;
/** A page that is loaded again may ask before the one it replaces has let go. */
const PATIENCE_MS = 300;

/**
 * The name under which this tab holds leases.
 *
 * It survives a reload, so that the annotator keeps their place. A duplicated tab starts with a copy
 * of the session storage; the lock, held as long as the tab lives, tells the copy from the original.
 *
 * Pages of one tab that hold leases at the same time, as one gives way to the other, go by names of
 * their own: `page` tells them apart.
 */
export async function tabClient(page = ""): Promise<string> {
  const key = STORAGE_KEY + page;
  const stored = sessionStorage.getItem(key);
  if (stored && (await claim(stored))) return stored;
  const fresh = uuid();
  sessionStorage.setItem(key, fresh);
  claimed.set(fresh, take(fresh));
  return fresh;
}

/**
 * The names of all tabs of this browser that are open, this one included.
 *
 * Null where there are no locks: a tab that is frozen, or busy, would not answer if asked.
 */
export async function openTabs(): Promise<string[] | null> {
  if (!("locks" in navigator)) return null;
  // A page that is just being loaded again waits for the lock of the one before it.
  const { held = [], pending = [] } = await navigator.locks.query();
  const names = [...held, ...pending].map(({ name = "" }) => name);
  return names.filter((name) => name.startsWith(LOCK)).map((name) => name.slice(LOCK.length));
}

const claimed = new Map<string, Promise<boolean>>();

function claim(client: string): Promise<boolean> {
  const known = claimed.get(client);
  if (known) return known;
  const result = "locks" in navigator ? claimLock(client) : claimChannel(client);
  claimed.set(client, result);
  return result;
}

/**
 * Take a name that nobody else has.
 *
 * However long the lock takes in a browser that is busy: a tab without it counts as closed, and the
 * next one would take its images.
 */
async function take(client: string): Promise<boolean> {
  return "locks" in navigator ? requestLock(client, {}) : claimChannel(client);
}

function claimLock(client: string): Promise<boolean> {
  return requestLock(client, { signal: AbortSignal.timeout(PATIENCE_MS) });
}

function requestLock(client: string, options: LockOptions): Promise<boolean> {
  return new Promise((resolve) => {
    const held = navigator.locks.request(LOCK + client, options, () => {
      resolve(true);
      return new Promise<void>(() => {});
    });
    held.catch(() => resolve(false));
  });
}

/** Plain HTTP origins have no locks: ask the other tabs instead. */
function claimChannel(client: string): Promise<boolean> {
  const channel = new BroadcastChannel(CHANNEL);
  return new Promise((resolve) => {
    let free = true;
    channel.onmessage = ({ data }: MessageEvent<{ ask?: string; taken?: string }>) => {
      if (data.taken === client) free = false;
      if (data.ask === client) channel.postMessage({ taken: client });
    };
    channel.postMessage({ ask: client });
    setTimeout(() => resolve(free), ANSWER_MS);
  });
}
