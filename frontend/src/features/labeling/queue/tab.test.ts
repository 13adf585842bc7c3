import { describe, expect, it, vi } from "vitest";

/** Another tab of this browser: a module of its own, with a session storage of its own. */
async function tab() {
  vi.resetModules();
  sessionStorage.clear();
  return import("./tab");
}

// Here there are no locks, as on an origin without TLS.
describe("the names of the tabs of a browser", () => {
  it("are known to a tab that opens", async () => {
    const first = await (await tab()).tabClient();
    const grid = await (await tab()).tabClient(":grid");
    const { openTabs, tabClient } = await tab();
    const own = await tabClient();
    expect(new Set(await openTabs())).toEqual(new Set([first, grid, own]));
  });

  it("are another for a tab that was duplicated", async () => {
    const original = await (await tab()).tabClient();
    vi.resetModules();
    const { tabClient } = await import("./tab");
    expect(await tabClient()).not.toBe(original);
  });
});
