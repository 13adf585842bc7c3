import { beforeEach, describe, expect, it, vi } from "vitest";
import { ApiError, NetworkError } from "../../../api/errors";
import type { ReviewApi } from "../../../api/reviews";
import type { DecisionInput, Review, Suggestion } from "../../../api/types";
import { ReviewQueue } from "./queue";

/** A review of `size` suggestions in memory, with faults on order. */
class FakeReview implements ReviewApi {
  readonly received: DecisionInput[] = [];
  readonly taken = new Map<string, DecisionInput>();
  readonly decided = new Map<number, Suggestion["decision"]>();
  faults: (Error | "lose-response")[] = [];
  leases = 0;

  constructor(readonly size: number) {}

  async lease(n: number) {
    this.leases += 1;
    const open = this.all().filter((one) => !one.decision);
    return {
      expires_at: new Date(0).toISOString(),
      items: open.slice(0, n),
      review: this.review(),
    };
  }

  async recent(limit: number) {
    return this.all()
      .filter((one) => one.decision)
      .slice(-limit)
      .reverse();
  }

  async decide(decisions: DecisionInput[]) {
    this.received.push(...decisions);
    const fault = this.faults.shift();
    if (fault instanceof Error) throw fault;
    const results = decisions.map((one) => {
      const status = this.taken.has(one.key) ? ("duplicate" as const) : ("accepted" as const);
      this.taken.set(one.key, one);
      this.decided.set(one.suggestion_id, one.decision);
      return { key: one.key, status, annotation_id: 1, code: null, detail: null };
    });
    if (fault) throw new NetworkError();
    return { results, review: this.review() };
  }

  private all(): Suggestion[] {
    return Array.from({ length: this.size }, (_, index) => ({
      id: index + 1,
      example_id: 100 + index,
      rank: index,
      image_url: `/images/${index}`,
      width: 8,
      height: 8,
      name: `${index}.png`,
      given_class_id: 1,
      suggested_class_id: 2,
      confidence: 0.9,
      quality: null,
      decision: this.decided.get(index + 1) ?? null,
    }));
  }

  private review(): Review {
    const open = this.size - this.decided.size;
    const decided = { keep: 0, accept: 0, ood: 0, unsure: 0 };
    return { job_id: 1, created_at: "", total: this.size, open, decided };
  }
}

class Kept {
  readonly items = new Map<string, string>();
  getItem = (key: string) => this.items.get(key) ?? null;
  setItem = (key: string, value: string) => void this.items.set(key, value);
  removeItem = (key: string) => void this.items.delete(key);
}

let server: FakeReview;
let kept: Kept;

async function open(): Promise<ReviewQueue> {
  const wait = () => new Promise<void>((resolve) => setTimeout(resolve, 1));
  const queue = new ReviewQueue({ api: server, storage: kept, key: "k", seconds: () => 1.5, wait });
  await queue.start();
  return queue;
}

const arrived = (queue: ReviewQueue) => vi.waitFor(() => expect(queue.getView().unsent).toBe(0));

beforeEach(() => {
  server = new FakeReview(40);
  kept = new Kept();
});

describe("the review queue", () => {
  it("shows every suggestion once, the surest first, and refills before it runs dry", async () => {
    const queue = await open();
    const shown: number[] = [];
    for (let count = 0; count < 40; count += 1) {
      await vi.waitFor(() => expect(queue.getView().current).not.toBeNull());
      shown.push(queue.getView().current?.id ?? 0);
      queue.decide("keep");
    }
    await vi.waitFor(() => expect(queue.getView().phase).toBe("done"));
    await arrived(queue);
    expect(shown).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
    expect(server.taken.size).toBe(40);
  });

  it("sends a decision again until it is acknowledged, and it counts once", async () => {
    const queue = await open();
    server.faults = [new NetworkError(), "lose-response", new ApiError(503, {})];
    queue.decide("accept");
    await arrived(queue);
    expect(server.received).toHaveLength(4);
    expect(server.taken.size).toBe(1);
    expect(server.taken.values().next().value).toMatchObject({ decision: "accept", seconds: 1.5 });
  });

  it("keeps decisions through a reload, and does not show what they decide", async () => {
    const before = await open();
    server.faults = Array.from({ length: 50 }, () => new NetworkError());
    before.decide("ood");
    before.stop();
    expect(kept.items.get("k")).toContain("ood");
    server.faults = [];
    const after = await open();
    await arrived(after);
    expect(server.decided.get(1)).toBe("ood");
    expect(after.getView().current?.id).toBe(2);
    expect(kept.items.size).toBe(0);
  });

  it("goes back to change a decision, and forward again without one", async () => {
    const queue = await open();
    queue.decide("accept");
    queue.decide("keep");
    queue.undo();
    expect(queue.getView().current).toMatchObject({ id: 2, decision: "keep" });
    queue.undo();
    expect(queue.getView().current).toMatchObject({ id: 1, decision: "accept" });
    queue.decide("ood");
    expect(queue.getView().current?.id).toBe(2);
    queue.keep();
    expect(queue.getView().current?.id).toBe(3);
    await arrived(queue);
    expect([server.decided.get(1), server.decided.get(2)]).toEqual(["ood", "keep"]);
  });

  it("reaches what was decided before a reload", async () => {
    const before = await open();
    before.decide("accept");
    await arrived(before);
    const after = await open();
    after.undo();
    expect(after.getView().current).toMatchObject({ id: 1, decision: "accept" });
  });

  it("says what the server will never take, and keeps it", async () => {
    const queue = await open();
    server.faults = [new ApiError(404, { code: "not_found", detail: "gone" })];
    queue.decide("keep");
    await vi.waitFor(() => expect(queue.getView().phase).toBe("failed"));
    expect(queue.getView().error?.message).toBe("gone");
    expect(kept.items.get("k")).toContain("keep");
  });
});
