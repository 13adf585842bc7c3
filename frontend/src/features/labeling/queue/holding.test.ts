import { expect, it, vi } from "vitest";
import { FakeServer } from "../../../test/fakeServer";
import { Holding, type HoldingDependencies } from "./holding";

function start(open: string[] | null = ["tab", "open"]) {
  const server = new FakeServer(8);
  for (const id of [1, 2]) server.inTabs.set(id, "killed");
  for (const id of [3, 4]) server.inTabs.set(id, "open");
  const openTabs = async () => open;
  const holding = new Holding({ projectId: 1, client: "tab", openTabs, api: server });
  const lease = async () => (await holding.lease(8, false)).items.map((item) => item.query_id);
  const another = (api: HoldingDependencies["api"] = server) =>
    new Holding({ projectId: 1, client: "tab", openTabs, api });
  return { server, holding, lease, another };
}

it("begins with what a killed browser held, and leaves an open tab what it has", async () => {
  const { lease } = start();
  expect(await lease()).toEqual([1, 2, 5, 6, 7, 8]);
});

it("takes nothing where it cannot tell which tabs are open, unless it is asked to", async () => {
  const { holding, lease } = start(null);
  expect(await lease()).toEqual([5, 6, 7, 8]);
  holding.takeOver();
  expect(await lease()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
});

it("takes nothing any more once it has begun", async () => {
  const { server, lease } = start();
  await lease();
  // A page that was opened after this one.
  for (const id of [1, 2, 5]) server.inTabs.set(id, "newer");
  expect(await lease()).toEqual([6, 7, 8]);
  expect(await lease()).toEqual([6, 7, 8]);
});

it("has not begun as long as the server was not reached", async () => {
  const { server, lease } = start();
  server.faults.push("refuse-connection");
  await expect(lease()).rejects.toThrow();
  expect(await lease()).toEqual([1, 2, 5, 6, 7, 8]);
});

it("takes what is in open tabs once, when it is asked to", async () => {
  const { server, holding, lease } = start();
  await lease();
  holding.takeOver();
  expect(await lease()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  server.inTabs.set(1, "open");
  expect(await lease()).toEqual([2, 3, 4, 5, 6, 7, 8]);
});

/** A lease that has reached the server, and is answered when asked for. */
async function onItsWay({ server, another }: ReturnType<typeof start>) {
  let answer = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const lease = vi.fn<FakeServer["lease"]>(async (...wanted) => {
    const leased = await server.lease(...wanted);
    await answered;
    return leased;
  });
  const release: FakeServer["release"] = (...what) => server.release(...what);
  const holding = another({ lease, release });
  const leased = holding.lease(8, false);
  await vi.waitFor(() => expect(lease).toHaveBeenCalled());
  const arrive = () => {
    answer();
    return leased;
  };
  return { holding, arrive };
}

it("gives back what was still on its way when nobody worked here any more", async () => {
  const started = start();
  const { holding, arrive } = await onItsWay(started);
  holding.end();
  expect(started.server.released).toEqual(["tab"]);
  await arrive();
  expect(started.server.released).toEqual(["tab", "tab"]);
});

it("asks for nothing when nobody works here any more", async () => {
  const { server, holding, lease } = start();
  const leased = lease();
  holding.end();
  await expect(leased).rejects.toThrow("Nobody works here");
  await expect(lease()).rejects.toThrow("Nobody works here");
  expect([...server.inTabs.values()]).not.toContain("tab");
});

it("gives nothing back that who works here next goes on with", async () => {
  const started = start();
  const { holding, arrive } = await onItsWay(started);
  const next = started.another();
  holding.end();
  await arrive();
  expect(started.server.released).toEqual([]);
  next.end();
  expect(started.server.released).toEqual(["tab"]);
});

it("gives nothing back that somebody who came after its end goes on with", async () => {
  const started = start();
  const { holding, arrive } = await onItsWay(started);
  holding.end();
  const next = started.another();
  await arrive();
  expect(started.server.released).toEqual(["tab"]);
  next.end();
  expect(started.server.released).toEqual(["tab", "tab"]);
});

it("gives back what was on its way when who came next has ended too", async () => {
  const started = start();
  const { holding, arrive } = await onItsWay(started);
  const next = started.another();
  holding.end();
  next.end();
  expect(started.server.released).toEqual(["tab"]);
  await arrive();
  expect(started.server.released).toEqual(["tab", "tab"]);
});

it("keeps what is worked at, also where a lease comes after its end", async () => {
  const started = start();
  const { holding, arrive } = await onItsWay(started);
  holding.end([4]);
  await arrive();
  expect(started.server.kept).toEqual([[4], [4]]);
});

it("leaves alone what is held of another project", () => {
  const { server, holding } = start();
  const openTabs = async () => null;
  new Holding({ projectId: 2, client: "tab", openTabs, api: server });
  holding.end();
  expect(server.released).toEqual(["tab"]);
});
