import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { draftName, keepDraft } from "../../../tasks/drafts";
import { FakeServer } from "../../../test/fakeServer";
import { watchAttention } from "../attention";
import type { Outbox } from "./model";
import { openOutbox } from "./outbox";
import { AnswerSender } from "./sender";
import { LabelSession } from "./session";
import { AWAY_MS, Stopwatch } from "./stopwatch";
import { uuid } from "./uuid";

const PLACE = { projectId: 1, userId: 7, client: "tab", openTabs: async () => [] };
let server: FakeServer;
let outbox: Outbox;
let stopwatch: Stopwatch;
/** Milliseconds of the annotator's clock. */
let clock: number;
const opened: { stop(): void }[] = [];

function open(): LabelSession {
  const sender = new AnswerSender({
    userId: PLACE.userId,
    outbox,
    api: server,
    exclusive: (work) => work(),
    wait: () => new Promise((resolve) => setTimeout(resolve, 1)),
  });
  const session = new LabelSession({
    ...PLACE,
    api: server,
    sender,
    stopwatch,
    isHidden: () => false,
  });
  opened.push(session, sender);
  session.start();
  return session;
}

const shown = (session: LabelSession) => session.getView().current?.subject.query_id;
const shows = (session: LabelSession, id: number) =>
  vi.waitFor(() => expect(shown(session)).toBe(id));
const trail = (session: LabelSession) =>
  session.getView().trail.map(({ subject }) => subject.query_id);
const arrived = (count: number) => vi.waitFor(() => expect(server.taken).toHaveLength(count));

/** A session in which the first images were said to be OOD. */
async function said(count: number): Promise<LabelSession> {
  const session = open();
  await shows(session, 1);
  for (let index = 0; index < count; index += 1) await session.answer("ood");
  await arrived(count);
  return session;
}

beforeEach(async () => {
  server = new FakeServer(100);
  outbox = await openOutbox({ name: uuid() });
  clock = 1_000;
  stopwatch = new Stopwatch(() => clock);
});

afterEach(() => {
  for (const one of opened.splice(0)) one.stop();
  sessionStorage.clear();
  vi.useRealTimers();
});

describe("the last verdicts", () => {
  it("can each be opened and changed, and work goes on where it was left", async () => {
    const session = await said(5);
    expect(session.revisit(2)).toBe(true);
    expect(session.getView().current).toMatchObject({ given: { verdict: "ood" } });
    expect(trail(session)).toEqual([1, 2, 3, 4, 5]);
    await session.answer("label", 3);
    expect(shown(session)).toBe(6);
    // What was said last comes last, as it does after a reload.
    expect(trail(session)).toEqual([1, 3, 4, 5, 2]);
    await arrived(6);
    expect(server.taken[5]).toMatchObject({
      query_id: 2,
      class_id: 3,
      supersedes: server.taken[1]?.key,
    });
  });

  it("stay where they were when opened and left as they are", async () => {
    const session = await said(4);
    session.revisit(2);
    session.revisit(3);
    expect(session.keep()).toBe(true);
    expect(shown(session)).toBe(5);
    expect(trail(session)).toEqual([1, 2, 3, 4]);
    await session.answer("ood");
    await arrived(5);
    expect(server.taken.map(({ query_id }) => query_id)).toEqual([1, 2, 3, 4, 5]);
  });

  it("are stepped through in both directions, and past the last is the work", async () => {
    const session = await said(3);
    expect(session.step(1)).toBe(false);
    const seen = [-1, -1, -1, -1, 1, 1, 1].map((by) => {
      session.step(by as -1 | 1);
      return shown(session);
    });
    expect(seen).toEqual([3, 2, 1, 1, 2, 3, 4]);
  });

  it("can be taken back or opened before they are stored, and no other image gets a verdict", async () => {
    const session = await said(2);
    const giving = session.answer("label", 3);
    expect(await session.answer("ood")).toBe(false);
    expect(session.undo()).toBe(true);
    expect(shown(session)).toBe(3);
    await giving;
    expect(session.getView().current).toMatchObject({ given: { verdict: "label", classId: 3 } });
    expect(shown(session)).toBe(3);
    const again = session.answer("ood");
    session.step(-1);
    session.revisit(1);
    await again;
    expect(shown(session)).toBe(1);
    await session.answer("unsure");
    await arrived(5);
    expect(server.taken.map(({ query_id }) => query_id)).toEqual([1, 2, 3, 3, 1]);
  });

  it("can be opened after a reload, those not sent yet included", async () => {
    const before = await said(3);
    server.signedOut = true;
    await before.answer("unsure");
    for (const one of opened.splice(0)) one.stop();
    server.signedOut = false;
    const session = open();
    await vi.waitFor(() => expect(trail(session)).toEqual([1, 2, 3, 4]));
    await shows(session, 5);
    session.revisit(1);
    await session.answer("label", 4);
    await vi.waitFor(() => expect(server.taken).toHaveLength(5));
    expect(server.taken.at(-1)).toMatchObject({ query_id: 1, supersedes: server.taken[0]?.key });
    expect(shown(session)).toBe(5);
  });
});

describe("a break", () => {
  it("gives the images back, and asks for no others until it ends", async () => {
    const session = await said(1);
    const leases = server.leases;
    session.pause("asked");
    await vi.waitFor(() => expect(server.released).toEqual(["tab"]));
    session.wake();
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(server.leases).toBe(leases);
    expect(shown(session)).toBe(2);
    session.resume();
    await vi.waitFor(() => expect(server.leases).toBe(leases + 1));
    expect(shown(session)).toBe(2);
  });

  it("ends with another image when a colleague has taken the one on screen", async () => {
    const session = await said(1);
    session.pause("asked");
    for (const id of [2, 3]) server.elsewhere.add(id);
    session.resume();
    await shows(session, 4);
  });

  it("leaves what is worked at on the screen and with whoever works at it", async () => {
    const session = await said(1);
    session.isWorkedAt = () => true;
    session.pause("away");
    await vi.waitFor(() => expect(server.kept).toEqual([[2]]));
    for (const id of [2, 3]) server.elsewhere.add(id);
    session.resume();
    await vi.waitFor(() => expect(session.getView().upcoming[0]?.subject.query_id).toBe(4));
    expect(shown(session)).toBe(2);
    session.isWorkedAt = () => false;
    await session.answer("label", 3);
    expect(shown(session)).toBe(4);
    await arrived(2);
    expect(server.taken[1]).toMatchObject({ query_id: 2, class_id: 3 });
    session.stop();
    expect(server.kept).toEqual([[2], []]);
  });

  it("leaves what was begun before a look at another with whoever began it", async () => {
    const session = await said(1);
    for (const id of [1, 2])
      keepDraft(draftName(PLACE.userId, id), { made: { boxes: [] }, left: null });
    const inHand = () => session.inHand().map(({ subject }) => subject.query_id);
    session.isWorkedAt = () => true;
    expect(inHand()).toEqual([2, 1]);
    session.undo();
    expect(inHand()).toEqual([1, 2]);
    session.pause("away");
    // What has a verdict is nobody else's.
    await vi.waitFor(() => expect(server.kept).toEqual([[2]]));
  });

  it("keeps an answer that is given although the images were given back", async () => {
    const session = await said(1);
    session.pause("away");
    server.elsewhere.add(2);
    await session.answer("label", 3);
    await arrived(2);
    expect(server.taken[1]).toMatchObject({ query_id: 2, class_id: 3 });
  });

  it("begins by itself when nobody is there, and ends with the first sign of life", async () => {
    const session = await said(1);
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const unwatch = watchAttention(stopwatch, session);
    stopwatch.start();
    clock += AWAY_MS - 1;
    vi.advanceTimersByTime(10_000);
    expect(session.getView().paused).toBeNull();
    clock += 1;
    vi.advanceTimersByTime(10_000);
    expect(session.getView().paused).toBe("away");
    window.dispatchEvent(new KeyboardEvent("keydown", { key: "3" }));
    expect(session.getView().paused).toBeNull();
    unwatch();
  });

  it("is no time spent on the image", () => {
    stopwatch.start();
    clock += 2_000;
    stopwatch.hold(true);
    clock += 60_000;
    stopwatch.touch();
    clock += 5_000;
    expect(stopwatch.seconds()).toBe(2);
    stopwatch.hold(false);
    clock += 1_000;
    expect(stopwatch.seconds()).toBe(3);
  });
});
