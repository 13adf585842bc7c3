import { afterEach, describe, expect, it, vi } from "vitest";

/** Another tab of this browser: a module of its own, with a session storage of its own. */
async function tab() {
  vi.resetModules();
  sessionStorage.clear();
  return import("./tab");
}

/** What an origin with TLS has, as far as a tab uses it: a lock that is asked for is never let go. */
function withLocks({ busy = false } = {}) {
  const held: { name: string }[] = [];
  const pending: { name: string }[] = [];
  const request = (name: string, options: LockOptions, granted: () => Promise<void>) => {
    const taken = held.some((lock) => lock.name === name);
    if (taken || (busy && options.signal)) return Promise.reject(new Error("timeout"));
    if (busy) {
      pending.push({ name });
      return new Promise(() => {});
    }
    held.push({ name });
    return granted();
  };
  const query = async () => ({ held: [...held, { name: "of another page" }], pending });
  Object.defineProperty(navigator, "locks", { value: { request, query }, configurable: true });
}

afterEach(() => {
  Reflect.deleteProperty(navigator, "locks");
});

describe("the names of the tabs of a browser", () => {
  it("are known to a tab that opens", async () => {
    withLocks();
    const first = await (await tab()).tabClient();
    const grid = await (await tab()).tabClient(":grid");
    const { openTabs, tabClient } = await tab();
    const own = await tabClient();
    expect(await openTabs()).toEqual([first, grid, own]);
  });

  it("are known while a busy browser has not given them their locks yet", async () => {
    withLocks({ busy: true });
    const first = await (await tab()).tabClient();
    const { openTabs, tabClient } = await tab();
    const own = await tabClient();
    expect(await openTabs()).toEqual([first, own]);
  });

  it("are not known without locks, as on an origin without TLS", async () => {
    const { openTabs, tabClient } = await tab();
    await tabClient();
    expect(await openTabs()).toBeNull();
  });

  it.each([
    ["with locks", true],
    ["without", false],
  ])("are another for a tab that was duplicated, %s", async (_, locks) => {
    if (locks) withLocks();
    const original = await (await tab()).tabClient();
    vi.resetModules();
    const { tabClient } = await import("./tab");
    expect(await tabClient()).not.toBe(original);
  });
});
