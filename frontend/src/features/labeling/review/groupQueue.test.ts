import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { NetworkError } from "../../../api/errors";
import type { ReviewLease, Suggestion } from "../../../api/types";
import type { FakeReview } from "../../../test/fakeReview";
import { FakeServer } from "../../../test/fakeServer";
import { MemoryOutbox } from "../queue/outbox";
import { AnswerSender } from "../queue/sender";
import { ACCEPT, KEEP } from "./choices";
import { GroupQueue } from "./groupQueue";

const PLACE = { projectId: 1, jobId: 16, userId: 7 };
const SIZE = 12;
let server: FakeServer;
let review: FakeReview;
let sender: AnswerSender;
let outbox: MemoryOutbox;
/** Whether what is decided stays on the device. */
let isHeld: boolean;
let stop: () => void;
const asked: number[][] = [];

/** Suggestions in groups of three, as the server would hand them out. */
async function lease(passed: number[]): Promise<ReviewLease> {
  asked.push(passed);
  const { items, ...rest } = await review.lease(SIZE);
  const all = items.map((one: Suggestion) => ({ ...one, alike: Math.floor((one.id - 1) / 3) }));
  const first = all.find(({ alike }) => !passed.includes(alike))?.alike;
  return { ...rest, items: all.filter(({ alike }) => alike === first) };
}

function open(): GroupQueue {
  const queue = new GroupQueue({ ...PLACE, sender, lease });
  stop = queue.start();
  return queue;
}

const ids = (queue: GroupQueue) => queue.getView().group?.map(({ id }) => id);
/** Its images come up as it is shown. */
async function shows(queue: GroupQueue, wanted: number[]): Promise<void> {
  await vi.waitFor(() => expect(ids(queue)).toEqual(wanted));
  for (const id of wanted) queue.hearOf(id, "ready");
}
const decided = () => Object.fromEntries(review.decided);

beforeEach(() => {
  asked.length = 0;
  server = new FakeServer(0);
  review = server.openReview(PLACE.jobId, SIZE);
  isHeld = false;
  outbox = new MemoryOutbox();
  sender = new AnswerSender({
    userId: PLACE.userId,
    outbox,
    api: server,
    exclusive: (work) => (isHeld ? new Promise(() => {}) : work()),
    wait: () => new Promise((resolve) => setTimeout(resolve, 1)),
  });
  void sender.start();
});

afterEach(() => {
  stop();
  sender.stop();
});

describe("groups of suggestions", () => {
  it("are decided on at once, but for what is left out, and do not come again", async () => {
    const queue = open();
    await shows(queue, [1, 2, 3]);
    queue.toggle(2);
    expect(await queue.decide(ACCEPT)).toBe(true);
    await shows(queue, [4, 5, 6]);
    expect(asked.at(-1)).toEqual([0]);
    await vi.waitFor(() => expect(decided()).toEqual({ 1: "accept", 3: "accept" }));
    expect(await queue.decide(KEEP)).toBe(true);
    await shows(queue, [7, 8, 9]);
  });

  it("come back as they were, and what was decided is taken back", async () => {
    const queue = open();
    await shows(queue, [1, 2, 3]);
    queue.toggle(1);
    await queue.decide(ACCEPT);
    await shows(queue, [4, 5, 6]);
    expect(await queue.undo()).toBe(true);
    expect(ids(queue)).toEqual([1, 2, 3]);
    expect([...queue.getView().left]).toEqual([1]);
    await vi.waitFor(() => expect(decided()).toEqual({ 2: null, 3: null }));
    expect(await queue.undo()).toBe(false);
    await shows(queue, [1, 2, 3]);
    queue.toggle(1);
    await queue.decide(KEEP);
    await vi.waitFor(() => expect(decided()).toEqual({ 1: "keep", 2: "keep", 3: "keep" }));
  });

  it("are passed where every image is left out", async () => {
    const queue = open();
    await shows(queue, [1, 2, 3]);
    for (const id of [1, 2, 3]) queue.toggle(id);
    expect(await queue.decide(ACCEPT)).toBe(false);
    await shows(queue, [4, 5, 6]);
    expect(decided()).toEqual({});
  });

  it("do not offer again what is decided on and not yet sent, and are stored as one", async () => {
    isHeld = true;
    const add = vi.spyOn(outbox, "add");
    const before = open();
    await shows(before, [1, 2, 3]);
    before.toggle(2);
    await before.decide(ACCEPT);
    expect(add).toHaveBeenCalledOnce();
    const queue = open();
    await shows(queue, [2]);
    await queue.decide(KEEP);
    await shows(open(), [4, 5, 6]);
    // What was taken back is open.
    await queue.undo();
    await shows(open(), [2]);
  });

  it("leave out what cannot be shown, and wait for the rest", async () => {
    const queue = open();
    await vi.waitFor(() => expect(ids(queue)).toEqual([1, 2, 3]));
    queue.hearOf(1, "ready");
    queue.hearOf(2, "failed");
    expect(await queue.decide(ACCEPT)).toBe(false);
    queue.hearOf(3, "ready");
    expect(await queue.decide(ACCEPT)).toBe(true);
    await shows(queue, [4, 5, 6]);
    await vi.waitFor(() => expect(decided()).toEqual({ 1: "accept", 3: "accept" }));
    await queue.undo();
    await vi.waitFor(() => expect(decided()).toEqual({ 1: null, 3: null }));
    // Nobody has left it out, so it takes part once it can be shown.
    expect([...queue.getView().left]).toEqual([]);
  });

  it("stay where nothing of them can be shown", async () => {
    const queue = open();
    await vi.waitFor(() => expect(ids(queue)).toEqual([1, 2, 3]));
    queue.toggle(1);
    for (const id of [1, 2, 3]) queue.hearOf(id, "failed");
    expect(await queue.decide(ACCEPT)).toBe(false);
    expect(ids(queue)).toEqual([1, 2, 3]);
    queue.hearOf(3, "ready");
    expect(await queue.decide(ACCEPT)).toBe(true);
    await vi.waitFor(() => expect(decided()).toEqual({ 3: "accept" }));
  });

  it("can be gone back to, the last fifty of a long day", async () => {
    review = server.openReview(PLACE.jobId, 3 * 51);
    const queue = open();
    for (let group = 0; group < 51; group += 1) {
      const wanted = [1, 2, 3].map((id) => 3 * group + id);
      await vi.waitFor(() => expect(ids(queue)).toEqual(wanted), { interval: 1 });
      for (const id of wanted) queue.hearOf(id, "ready");
      expect(await queue.decide(KEEP)).toBe(true);
    }
    for (let group = 0; group < 50; group += 1) expect(await queue.undo()).toBe(true);
    expect(ids(queue)).toEqual([4, 5, 6]);
    expect(await queue.undo()).toBe(false);
  });

  it("are asked for again by themselves once the server can be reached", async () => {
    let isReached = false;
    const queue = new GroupQueue({
      ...{ ...PLACE, sender, retryMs: 1 },
      lease: (passed) => (isReached ? lease(passed) : Promise.reject(new NetworkError())),
    });
    stop = queue.start();
    await vi.waitFor(() => expect(queue.getView().error).toBeInstanceOf(NetworkError));
    isReached = true;
    await shows(queue, [1, 2, 3]);
    expect(queue.getView().error).toBeNull();
    await queue.decide(KEEP);
    await shows(queue, [4, 5, 6]);
    isReached = false;
    await queue.decide(KEEP);
    await vi.waitFor(() => expect(queue.getView().error).toBeInstanceOf(NetworkError));
    await queue.undo();
    isReached = true;
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(ids(queue)).toEqual([4, 5, 6]);
  });

  it("are passed by the latest ten thousand, as many as the server takes at once", async () => {
    const queue = new GroupQueue({
      ...{ ...PLACE, sender },
      lease: async (passed) => {
        const found = await lease(passed);
        const items = found.items.slice(0, 1);
        const many = Array.from({ length: 10_001 }, (_, alike) => ({ ...items[0], alike }));
        return { ...found, items: passed.length > 0 ? [] : (many as Suggestion[]) };
      },
    });
    stop = queue.start();
    await vi.waitFor(() => expect(queue.getView().group).not.toBeNull());
    queue.toggle(1);
    await queue.decide(ACCEPT);
    await vi.waitFor(() => expect(asked).toHaveLength(2));
    expect([asked[1]?.length, asked[1]?.at(-1)]).toEqual([10_000, 10_000]);
  });
});
