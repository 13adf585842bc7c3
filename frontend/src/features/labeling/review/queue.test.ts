import { cleanup, renderHook } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Decision, ReviewedJob, Suggestion } from "../../../api/types";
import { useRanking } from "../../../tasks/instructions/useRanking";
import type { FakeReview } from "../../../test/fakeReview";
import { FakeServer } from "../../../test/fakeServer";
import type { Outbox } from "../queue/model";
import { MemoryOutbox, openOutbox, SafeOutbox } from "../queue/outbox";
import { AnswerSender } from "../queue/sender";
import { Stopwatch } from "../queue/stopwatch";
import { uuid } from "../queue/uuid";
import { ReviewQueue } from "./queue";

const PLACE = { projectId: 1, jobId: 16, userId: 7 };
let server: FakeServer;
let review: FakeReview;
let outbox: Outbox;
let now: number;
const opened: { stop(): void }[] = [];

function openSender(store: Outbox = outbox): AnswerSender {
  const sender = new AnswerSender({
    userId: PLACE.userId,
    outbox: store,
    api: server,
    exclusive: (work) => work(),
    wait: () => new Promise((resolve) => setTimeout(resolve, 1)),
  });
  opened.push(sender);
  return sender;
}

function open(sender = openSender(), api = review, jobId: ReviewedJob = PLACE.jobId): ReviewQueue {
  const queue = new ReviewQueue({
    ...PLACE,
    jobId,
    api,
    sender,
    // Somebody is there all the time, however long ago this browser was started.
    stopwatch: new Stopwatch(() => 0),
    now: () => now,
    isHidden: () => false,
  });
  opened.push(queue);
  queue.start();
  return queue;
}

const shown = (queue: ReviewQueue) => queue.getView().current?.id;
const shows = (queue: ReviewQueue, id: number) => vi.waitFor(() => expect(shown(queue)).toBe(id));
const isEmpty = () =>
  vi.waitFor(async () => expect(await outbox.pending(PLACE.userId)).toHaveLength(0));
const offline = () => server.faults.push(...Array(500).fill("refuse-connection"));
const online = () => server.faults.splice(0);

async function decideAll(queue: ReviewQueue, decisions: Decision[]): Promise<void> {
  for (const decision of decisions) {
    await vi.waitFor(() => expect(queue.getView().current).not.toBeNull());
    expect(await queue.decide(decision)).toBe(true);
  }
}

beforeEach(async () => {
  now = Date.now();
  server = new FakeServer(0);
  server.now = () => now;
  review = server.openReview(PLACE.jobId, 40);
  outbox = await openOutbox({ name: uuid() });
});

afterEach(() => {
  cleanup();
  for (const one of opened.splice(0)) one.stop();
  vi.restoreAllMocks();
});

describe("the review queue", () => {
  it("shows every suggestion once, the surest first, and refills before it runs dry", async () => {
    const queue = open();
    const seen: (number | undefined)[] = [];
    for (let count = 0; count < 40; count += 1) {
      await vi.waitFor(() => expect(queue.getView().current).not.toBeNull());
      seen.push(shown(queue));
      await queue.decide("keep");
    }
    await vi.waitFor(() => expect(queue.getView().phase).toBe("waiting"));
    await isEmpty();
    expect(seen).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
    expect(review.taken.map((one) => one.suggestion_id)).toEqual(seen);
  });

  it("takes one decision per suggestion, however fast the keys come", async () => {
    const queue = open();
    await shows(queue, 1);
    const taken = await Promise.all([queue.decide("keep"), queue.decide("keep")]);
    expect(taken).toEqual([true, false]);
    expect(shown(queue)).toBe(2);
  });

  it("believes what came with a decision, not what a lease before it comes to say", async () => {
    const slow = server.openReview(PLACE.jobId, 3);
    let arrive = () => {};
    const lease = slow.lease.bind(slow);
    slow.lease = async (n) => {
      const said = await lease(n);
      if (slow.leases === 2) await new Promise<void>((resolve) => (arrive = resolve));
      return said;
    };
    const queue = open(openSender(), slow);
    await shows(queue, 1);
    queue.wake();
    await vi.waitFor(() => expect(slow.leases).toBe(2));
    await queue.decide("accept");
    await vi.waitFor(() => expect(queue.getView().review?.open).toBe(2));
    const told = vi.fn();
    queue.subscribe(told);
    arrive();
    await vi.waitFor(() => expect(told).toHaveBeenCalled());
    expect(queue.getView().review?.open).toBe(2);
  });

  it("goes back to change a decision, and forward again without one", async () => {
    const queue = open();
    await decideAll(queue, ["accept", "keep"]);
    queue.undo();
    expect(queue.getView().current).toMatchObject({ id: 2, decision: "keep" });
    queue.undo();
    expect(queue.getView().current).toMatchObject({ id: 1, decision: "accept" });
    await queue.decide("ood");
    expect(shown(queue)).toBe(2);
    queue.keep();
    expect(shown(queue)).toBe(3);
    await isEmpty();
    expect([review.decided.get(1), review.decided.get(2)]).toEqual(["ood", "keep"]);
  });

  it("reaches what was decided before a reload, sent or not, and does not show it anew", async () => {
    const before = openSender();
    const first = open(before);
    await decideAll(first, ["accept"]);
    await isEmpty();
    offline();
    await decideAll(first, ["ood"]);
    first.stop();
    before.stop();
    online();
    const after = open();
    await shows(after, 3);
    await vi.waitFor(() => expect(after.getView().history).toHaveLength(2));
    after.undo();
    expect(after.getView().current).toMatchObject({ id: 2, decision: "ood" });
    after.undo();
    expect(after.getView().current).toMatchObject({ id: 1, decision: "accept" });
  });
});

describe("another class than the two", () => {
  it("is sent, and still named when one goes back, before a reload and after", async () => {
    const first = open();
    await shows(first, 1);
    await first.decide("other", 7);
    first.undo();
    expect(first.getView().current).toMatchObject({ decision: "other", decided_class_id: 7 });
    await first.decide("other", 8);
    await isEmpty();
    expect(review.taken.map((one) => one.class_id)).toEqual([7, 8]);
    first.stop();
    const again = open();
    await vi.waitFor(() => expect(again.getView().history).toHaveLength(1));
    expect(again.getView().history[0]).toMatchObject({ decision: "other", decided_class_id: 8 });
  });

  it("is kept on the device while the network is away", async () => {
    const before = openSender();
    const first = open(before);
    await shows(first, 1);
    offline();
    await first.decide("other", 7);
    first.stop();
    before.stop();
    online();
    const second = open();
    await shows(second, 2);
    await vi.waitFor(() => expect(second.getView().history).toHaveLength(1));
    expect(second.getView().history[0]).toMatchObject({ decision: "other", decided_class_id: 7 });
    await isEmpty();
    expect(review.named.get(1)).toBe(7);
  });

  it("stands in no entry of an earlier version, and those are sent and shown as they are", async () => {
    const { items } = await review.lease(1);
    const { votes: _, decided_class_id: __, ...subject } = items[0] as Suggestion;
    server.signedOut = true;
    const place = { userId: PLACE.userId, projectId: PLACE.projectId, jobId: PLACE.jobId };
    const entry = { kind: "decision", key: uuid(), ...place, seconds: 1 } as const;
    await outbox.add({ ...entry, subject, decision: "accept" });
    const sender = openSender();
    const queue = open(sender);
    await vi.waitFor(() => expect(queue.getView().history).toHaveLength(1));
    expect(queue.getView().history[0]).toMatchObject({ decision: "accept", votes: [] });
    server.signedOut = false;
    sender.wake();
    await isEmpty();
    expect(review.decided.get(1)).toBe("accept");
  });
});

describe("a review of disagreements", () => {
  it("is another one than those of jobs, and its unsent decisions are its own", async () => {
    const disagreements = server.openReview(null, 5);
    const sender = openSender();
    const ofJob = open(sender);
    const queue = open(sender, disagreements, null);
    await Promise.all([shows(ofJob, 1), shows(queue, 1)]);
    offline();
    await queue.decide("other", 3);
    expect(shown(queue)).toBe(2);
    expect(await sender.decisionsOf(PLACE.projectId, PLACE.jobId)).toEqual([]);
    expect(await sender.decisionsOf(PLACE.projectId, null)).toHaveLength(1);
    online();
    sender.wake();
    await isEmpty();
    expect(disagreements.taken).toHaveLength(1);
    expect(review.taken).toHaveLength(0);
    expect(queue.getView().review).toMatchObject({ job_id: null, open: 4 });
    expect(ofJob.getView().review?.open).toBe(40);
  });
});

describe("decisions on their way", () => {
  it("arrive although the page was left while the one before was sent", async () => {
    server.delayMs = 5;
    const queue = open();
    await decideAll(queue, ["keep", "accept"]);
    queue.stop();
    await isEmpty();
    expect([review.decided.get(1), review.decided.get(2)]).toEqual(["keep", "accept"]);
  });

  it("wait for the network, and the review goes on by itself after it is back", async () => {
    const sender = openSender();
    const queue = open(sender);
    await shows(queue, 1);
    offline();
    await decideAll(queue, Array(24).fill("keep"));
    await vi.waitFor(() => expect(queue.getView().current).toBeNull());
    await vi.waitFor(() => expect(queue.getView().phase).toBe("failed"));
    online();
    queue.wake();
    sender.wake();
    await shows(queue, 25);
    expect(review.taken).toHaveLength(24);
    expect(review.decided.size).toBe(24);
  });

  it("of an earlier visit do not keep the page waiting, whatever holds them up", async () => {
    const before = openSender();
    const first = open(before);
    await shows(first, 1);
    server.signedOut = true;
    await decideAll(first, ["keep"]);
    await vi.waitFor(() => expect(before.getView().state).toBe("signed_out"));
    first.stop();
    const second = open(before);
    await vi.waitFor(() => expect(second.getView().phase).toBe("failed"));
    server.signedOut = false;
    before.wake();
    await shows(second, 2);
    await isEmpty();
    expect(review.taken).toHaveLength(1);
  });

  it("are made on, and sent, where the browser's storage is full", async () => {
    const full = new MemoryOutbox();
    vi.spyOn(full, "add").mockRejectedValue(new DOMException("full", "QuotaExceededError"));
    const safe = new SafeOutbox();
    safe.attach(full);
    const sender = openSender(safe);
    const queue = open(sender);
    await shows(queue, 1);
    server.signedOut = true;
    await decideAll(queue, ["keep", "ood"]);
    expect(shown(queue)).toBe(3);
    expect(sender.durable).toBe(false);
    server.signedOut = false;
    sender.wake();
    await vi.waitFor(() => expect(review.taken).toHaveLength(2));
    expect([review.decided.get(1), review.decided.get(2)]).toEqual(["keep", "ood"]);
  });

  it("let those behind pass when refused, and are no longer shown as made", async () => {
    review.unknown.add(2);
    const sender = openSender();
    const queue = open(sender);
    await decideAll(queue, ["keep", "accept", "ood"]);
    await isEmpty();
    expect(review.taken.map((one) => one.suggestion_id)).toEqual([1, 3]);
    expect(sender.getView().rejected).toMatchObject([{ decision: "accept", detail: "not known" }]);
    expect(queue.getView().history.map(({ id }) => id)).toEqual([1, 3]);
  });

  it("have the order that was made there again when refused", async () => {
    const sender = openSender();
    const queue = open(sender);
    await shows(queue, 1);
    const { current: first } = queue.getView();
    const label = { type: "instructions" as const, order: [[42], [41]], wrong: [] };
    // It names no class, which this review wants.
    await queue.decide("other", null, 1, label);
    await vi.waitFor(() => expect(sender.getView().rejected).toHaveLength(1));
    const fields = { instruction: "Task", responses: ["Done."] };
    const members = [41, 42].map((example_id) => ({ example_id, fields }));
    const subject = { ...(first as Suggestion), query_id: 1, members };
    const current = { subject, given: null };
    const place = { ...PLACE, classes: [], current, desk: "review" as const, answer: () => {} };
    const { result } = renderHook(() => useRanking(place));
    expect(result.current?.getView().ranking.order).toEqual([[42], [41]]);
  });

  it("that come after a colleague's are told of, and no longer shown as made", async () => {
    const queue = open();
    await shows(queue, 1);
    review.takeAway(1);
    await decideAll(queue, ["accept", "accept"]);
    await vi.waitFor(() => expect(queue.getView().late).toBe(1));
    await isEmpty();
    expect(queue.getView().history).toMatchObject([{ id: 2, decision: "accept" }]);
  });
});

describe("a review with colleagues", () => {
  it("has what they leave, once the rest is decided", async () => {
    for (let id = 3; id <= 40; id += 1) review.elsewhere.add(id);
    const queue = open();
    await decideAll(queue, ["keep", "keep"]);
    await vi.waitFor(() => expect(queue.getView().phase).toBe("waiting"));
    await isEmpty();
    expect(queue.getView().review?.open).toBe(38);
    review.elsewhere.clear();
    queue.wake();
    await shows(queue, 3);
    expect(queue.getView().phase).toBe("working");
  });

  it("asks again by itself after a while", async () => {
    for (let id = 1; id <= 40; id += 1) review.elsewhere.add(id);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const queue = open(openSender(new MemoryOutbox()));
      await vi.waitFor(() => expect(queue.getView().phase).toBe("waiting"));
      review.elsewhere.clear();
      await vi.advanceTimersByTimeAsync(20_000);
      expect(shown(queue)).toBe(1);
    } finally {
      vi.useRealTimers();
    }
  });

  it("drops suggestions that others hold or have decided, but not the one on screen", async () => {
    const queue = open();
    await shows(queue, 1);
    for (const id of [1, 2, 3]) review.elsewhere.add(id);
    queue.wake();
    await vi.waitFor(() => expect(queue.getView().upcoming[0]?.id).toBe(4));
    expect(shown(queue)).toBe(1);
  });

  it("asks anew for suggestions whose lease has run out", async () => {
    const queue = open();
    await shows(queue, 1);
    now += 700_000;
    review.elsewhere.add(2);
    await queue.decide("keep");
    await shows(queue, 3);
  });
});
