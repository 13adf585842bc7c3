import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FakeServer } from "../../../test/fakeServer";
import type { Outbox } from "../queue/model";
import { openOutbox } from "../queue/outbox";
import { AnswerSender } from "../queue/sender";
import { Stopwatch } from "../queue/stopwatch";
import { uuid } from "../queue/uuid";
import { idOf, isDone } from "./model";
import { GridSession } from "./session";

const USER = 7;
const PROJECT = 1;
const CAT = { verdict: "label", classId: 3 } as const;
const OOD = { verdict: "ood", classId: null } as const;
let server: FakeServer;
let outbox: Outbox;
let now: number;
let ticks: number;
const open: { session: GridSession; sender: AnswerSender }[] = [];

function start(size = 10) {
  const sender = new AnswerSender({
    userId: USER,
    outbox,
    api: server,
    exclusive: (work) => work(),
    wait: () => new Promise((resolve) => setTimeout(resolve, 1)),
  });
  const session = new GridSession({
    projectId: PROJECT,
    userId: USER,
    client: "tab",
    openTabs: async () => ["open"],
    size,
    api: server,
    sender,
    stopwatch: new Stopwatch(() => ticks),
    now: () => now,
    isHidden: () => false,
  });
  open.push({ session, sender });
  session.start();
  return { session, sender };
}

const shown = (session: GridSession) => session.getView().page.map(idOf);
const waiting = (session: GridSession) =>
  session
    .getView()
    .page.filter((tile) => !isDone(tile))
    .map(idOf);
const from = (first: number, count: number) => Array.from({ length: count }, (_, i) => first + i);
const shows = (session: GridSession, ids: number[]) =>
  vi.waitFor(() => expect(shown(session)).toEqual(ids));
const arrived = (count: number) => vi.waitFor(() => expect(server.taken).toHaveLength(count));

beforeEach(async () => {
  now = Date.now();
  ticks = 0;
  sessionStorage.clear();
  server = new FakeServer(200);
  server.now = () => now;
  outbox = await openOutbox({ name: uuid() });
});

afterEach(() => {
  vi.useRealTimers();
  for (const { session, sender } of open.splice(0)) {
    session.stop();
    sender.stop();
  }
});

describe("the grid", () => {
  it("shows every image once, a page at a time", async () => {
    const { session } = start();
    for (let page = 0; page < 8; page += 1) {
      await shows(session, from(1 + 10 * page, 10));
      expect(await session.answer(shown(session).slice(0, 3), OOD)).toBe(true);
      expect(await session.answer(waiting(session), CAT)).toBe(true);
    }
    await arrived(80);
    expect(server.taken.map((answer) => answer.query_id)).toEqual(from(1, 80));
    expect(new Set(server.taken.map((answer) => answer.key)).size).toBe(80);
  });

  it("divides the time since the verdict before among the images", async () => {
    const { session } = start();
    await shows(session, from(1, 10));
    ticks += 8_000;
    await session.answer([1, 2, 3, 4], CAT);
    ticks += 3_000;
    await session.answer([5, 6], OOD);
    await arrived(6);
    expect(server.taken.map((answer) => answer.seconds)).toEqual([2, 2, 2, 2, 1.5, 1.5]);
  });

  it("does not count the time in which nobody was there", async () => {
    const { session } = start();
    await shows(session, from(1, 10));
    ticks += 600_000;
    await session.answer([1, 2], CAT);
    await arrived(2);
    expect(server.taken[0]?.seconds).toBe(15);
  });

  it("takes one verdict per image, however fast the keys come", async () => {
    const { session } = start();
    await shows(session, from(1, 10));
    const taken = await Promise.all([session.answer([1, 2], CAT), session.answer([1, 2], OOD)]);
    expect(taken).toEqual([true, false]);
    await arrived(2);
  });

  it("stores all of a batch before it moves on", async () => {
    const { session, sender } = start();
    await shows(session, from(1, 10));
    server.signedOut = true;
    await session.answer(from(1, 10), CAT);
    expect(await sender.answersOf(PROJECT)).toHaveLength(10);
    await shows(session, from(11, 10));
  });

  it("goes on while the network is away, and sends each answer once", async () => {
    const { session } = start();
    await shows(session, from(1, 10));
    server.faults.push(...Array<"refuse-connection">(12).fill("refuse-connection"));
    server.faults.push("lose-response");
    await session.answer(from(1, 10), CAT);
    await shows(session, from(11, 10));
    await session.answer(from(11, 10), OOD);
    await arrived(20);
    expect(server.taken.map((answer) => answer.query_id)).toEqual(from(1, 20));
  });

  it("drops images whose lease went to someone else", async () => {
    const { session } = start();
    await shows(session, from(1, 10));
    for (const id of [2, 3]) server.elsewhere.add(id);
    session.wake();
    await vi.waitFor(() => expect(waiting(session)).not.toContain(2));
    expect(shown(session)).toEqual([1, ...from(4, 7)]);
  });

  it("lets go of groups that are done, not of images that wait beside them", async () => {
    server.predictions = (id) => ({ predicted_class_id: id % 2, probability: 0.9 });
    const { session } = start(4);
    await shows(session, [1, 3, 5, 7]);
    await session.answer([1, 3, 5, 7], CAT);
    await vi.waitFor(() => expect(shown(session)).toHaveLength(4));
    const [first, ...rest] = shown(session);
    await session.answer([first as number], CAT);
    session.tidy();
    expect(shown(session)).toEqual([first, ...rest]);
  });

  it("shows more or fewer at once", async () => {
    const { session } = start(4);
    await shows(session, from(1, 4));
    session.setSize(8);
    await vi.waitFor(() => expect(shown(session)).toEqual(from(1, 8)));
    session.setSize(2);
    expect(shown(session)).toEqual([1, 2]);
  });

  it("waits while a model is trained, and goes on by itself", async () => {
    server = new FakeServer(3);
    server.now = () => now;
    const { session } = start();
    await shows(session, from(1, 3));
    await session.answer([1, 2, 3], CAT);
    await vi.waitFor(() => expect(session.getView().phase).toBe("waiting"));
    server.publish(5);
    session.wake();
    await shows(session, from(4, 5));
  });
});

describe("undo in the grid", () => {
  it("takes back a batch as a unit, and new verdicts supersede", async () => {
    const { session } = start();
    await shows(session, from(1, 10));
    await session.answer([1], OOD);
    await session.answer([2, 3, 4], CAT);
    expect(session.undo()).toEqual([2, 3, 4]);
    expect(session.getView().undone.map(idOf)).toEqual([2, 3, 4]);
    expect(waiting(session)).toEqual([2, 3, 4, ...from(5, 6)]);
    await session.answer([3], OOD);
    expect(session.getView().undone).toEqual([]);
    await arrived(5);
    const [, , second] = server.taken;
    expect(server.taken.at(-1)).toMatchObject({ query_id: 3, supersedes: second?.key });
    // What was taken back with it still has its verdict.
    expect(session.keep([2, 4])).toBe(true);
    expect(waiting(session)).toEqual(from(5, 6));
    expect(server.taken).toHaveLength(5);
  });

  it("goes back over a page that was turned", async () => {
    const { session } = start();
    await shows(session, from(1, 10));
    await session.answer(from(1, 10), CAT);
    await shows(session, from(11, 10));
    expect(session.undo()).toEqual(from(1, 10));
    expect(shown(session)).toEqual([...from(1, 10), ...from(11, 10)]);
    await session.answer(from(1, 10), OOD);
    expect(waiting(session)).toEqual(from(11, 10));
    await arrived(20);
  });

  it("sends nothing for an image that gets the verdict it has", async () => {
    const { session } = start();
    await shows(session, from(1, 10));
    await session.answer([1, 2], CAT);
    session.undo();
    expect(await session.answer([1, 2], CAT)).toBe(true);
    expect(waiting(session)).toEqual(from(3, 8));
    await session.answer([3], OOD);
    await arrived(3);
  });

  it("reaches batches of before a reload, unsent ones included", async () => {
    const before = start();
    await shows(before.session, from(1, 10));
    await before.session.answer([1, 2], CAT);
    await arrived(2);
    server.signedOut = true;
    await before.session.answer([3, 4, 5], OOD);
    before.sender.stop();
    server.signedOut = false;
    const { session } = start();
    await vi.waitFor(() => expect(session.getView().history).toHaveLength(2));
    await shows(session, from(6, 5));
    expect(session.undo()).toEqual([3, 4, 5]);
    expect(session.undo()).toEqual([1, 2]);
    await session.answer([1, 2], OOD);
    await vi.waitFor(() => expect(server.taken.filter((one) => one.supersedes)).toHaveLength(2));
  });
});

it("gives its images back for a break, and goes on with those that are left", async () => {
  const { session } = start();
  await shows(session, from(1, 10));
  session.pause("asked");
  expect(server.released).toEqual(["tab"]);
  server.elsewhere.add(2);
  const leases = server.leases;
  session.wake();
  expect(server.leases).toBe(leases);
  session.resume();
  await vi.waitFor(() => expect(shown(session)).toEqual([1, ...from(3, 8)]));
});

it("takes no images in a break, however long that lasts", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  server = new FakeServer(3);
  server.now = () => now;
  const { session, sender } = start();
  await shows(session, from(1, 3));
  await session.answer([1, 2, 3], CAT);
  await vi.waitFor(() => expect(session.getView().phase).toBe("waiting"));
  await vi.advanceTimersByTimeAsync(1_000);
  session.pause("away");
  const { leases } = server;
  await vi.advanceTimersByTimeAsync(3_600_000);
  // Before it leases it reads what is not sent yet, as this does after it.
  await sender.answersOf(PROJECT);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(server.leases).toBe(leases);
  expect(server.released).toEqual(["tab"]);
});

it("goes on where the storage of the tab is full", async () => {
  vi.spyOn(Storage.prototype, "setItem").mockImplementation(() => {
    throw new DOMException("Full.", "QuotaExceededError");
  });
  const { session } = start();
  await shows(session, from(1, 10));
  expect(session.getView().error).toBeNull();
  expect(await session.answer(from(1, 10), CAT)).toBe(true);
  await shows(session, from(11, 10));
});

it("shows the same page after a reload while answers are on their way", async () => {
  const name = uuid();
  outbox = await openOutbox({ name });
  const before = start();
  await shows(before.session, from(1, 10));
  server.signedOut = true;
  await before.session.answer([1, 2, 3], CAT);
  before.session.leave();
  before.sender.stop();
  // All that a page leaves to the next is on the disk.
  outbox = await openOutbox({ name });
  server.signedOut = false;
  server.faults.push("refuse-connection", "lose-response");
  const { session, sender } = start();
  await shows(session, from(4, 7));
  void sender.start();
  // As the screen says again what it said before.
  session.setSize(10);
  await arrived(3);
  expect(shown(session)).toEqual(from(4, 7));
});

it("shows the same page after a reload", async () => {
  const before = start();
  await shows(before.session, from(1, 10));
  await before.session.answer([1, 2, 3], CAT);
  await arrived(3);
  before.session.leave();
  expect(server.released).toEqual(["tab"]);
  const { session } = start();
  await shows(session, from(4, 7));
  await session.answer(from(4, 7), CAT);
  await shows(session, from(11, 10));
});

it("begins with what a killed browser held, and takes what is in open tabs when asked to", async () => {
  for (const id of from(1, 30)) server.inTabs.set(id, id <= 10 ? "killed" : "open");
  for (const id of from(31, 170)) server.elsewhere.add(id);
  const { session } = start();
  await shows(session, from(1, 10));
  await session.answer(from(1, 10), OOD);
  await vi.waitFor(() => expect(session.getView().elsewhere).toBe(true), 3_000);
  expect(session.getView().phase).toBe("waiting");
  session.takeOver();
  await vi.waitFor(() => expect(shown(session)).toEqual(from(11, 10)), 4_000);
});
