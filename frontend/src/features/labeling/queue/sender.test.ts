import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ApiError } from "../../../api/errors";
import { FakeServer } from "../../../test/fakeServer";
import type { Outbox, StoredAnswer, StoredDecision } from "./model";
import { openOutbox } from "./outbox";
import { AnswerSender } from "./sender";
import { uuid } from "./uuid";

const USER = 7;
let server: FakeServer;
let outbox: Outbox;
let database: string;
let waits: number[];
let senders: AnswerSender[];

function answerTo(queryId: number, change: Partial<StoredAnswer> = {}): StoredAnswer {
  const image_url = `/images/${queryId}`;
  return {
    kind: "answer",
    key: uuid(),
    userId: USER,
    projectId: 1,
    subject: { query_id: queryId, example_id: queryId, image_url, width: 8, height: 8, name: "" },
    verdict: "label",
    classId: 3,
    seconds: 1.5,
    supersedes: null,
    leaseToken: null,
    ...change,
  };
}

/** Decisions and answers take the same way; `id` is the suggestion's. */
function decisionOn(id: number, change: Partial<StoredDecision> = {}): StoredDecision {
  return {
    kind: "decision",
    key: uuid(),
    userId: USER,
    projectId: 1,
    jobId: 16,
    subject: {
      id,
      example_id: id,
      rank: id,
      image_url: "",
      width: 8,
      height: 8,
      name: `${id}.png`,
      given_class_id: 1,
      suggested_class_id: 2,
      confidence: 0.9,
      quality: null,
      decision: null,
    },
    decision: "accept",
    seconds: 1.5,
    ...change,
  };
}

function makeSender(store: Outbox = outbox, isSignedIn = () => true): AnswerSender {
  const sender = new AnswerSender({
    userId: USER,
    outbox: store,
    api: server,
    isSignedIn,
    exclusive: (work) => work(),
    wait: async (milliseconds, wake) => {
      waits.push(milliseconds);
      await new Promise((resolve) => setTimeout(resolve, wake.aborted ? 0 : 1));
    },
  });
  senders.push(sender);
  return sender;
}

const isEmpty = (sender: AnswerSender) =>
  vi.waitFor(async () => {
    expect(await outbox.pending(USER)).toHaveLength(0);
    expect(sender.getView().state).toBe("idle");
  });

beforeEach(async () => {
  server = new FakeServer(100);
  database = uuid();
  outbox = await openOutbox({ name: database });
  waits = [];
  senders = [];
});

afterEach(() => {
  for (const sender of senders) sender.stop();
});

describe("sending answers", () => {
  it("sends them once, in the order in which they were given", async () => {
    const sender = makeSender();
    const answers = [1, 2, 3, 4, 5].map((id) => answerTo(id));
    for (const answer of answers) await sender.add(answer);
    await isEmpty(sender);
    expect(server.received).toEqual(answers.map((answer) => answer.key));
    expect(server.taken[0]).toMatchObject({
      query_id: 1,
      verdict: "label",
      class_id: 3,
      seconds: 1.5,
    });
  });

  it("keeps the order while answers come in during a slow request", async () => {
    server.delayMs = 5;
    const sender = makeSender();
    for (let id = 1; id <= 20; id += 1) {
      await sender.add(answerTo(id));
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    await isEmpty(sender);
    expect(server.taken.map((answer) => answer.query_id)).toEqual(
      Array.from({ length: 20 }, (_, index) => index + 1),
    );
  });

  it("tries again with growing pauses when the network is away", async () => {
    server.faults.push("refuse-connection", "refuse-connection", "refuse-connection");
    const sender = makeSender();
    await sender.add(answerTo(1));
    await isEmpty(sender);
    expect(server.taken).toHaveLength(1);
    expect(waits).toHaveLength(3);
    expect(waits[2]).toBeGreaterThan(waits[0] ?? 0);
  });

  it("counts an answer once when the response was lost", async () => {
    server.faults.push("lose-response");
    const sender = makeSender();
    await sender.add(answerTo(1));
    await isEmpty(sender);
    expect(server.received).toHaveLength(2);
    expect(server.taken).toHaveLength(1);
  });

  it("sends after a reload what was not acknowledged before", async () => {
    server.signedOut = true;
    const before = makeSender();
    const answer = answerTo(1);
    await before.add(answer);
    await vi.waitFor(() => expect(before.getView().state).toBe("signed_out"));
    server.signedOut = false;
    const after = makeSender(await openOutbox({ name: database }));
    await after.flush();
    await isEmpty(after);
    expect(server.taken.map((taken) => taken.key)).toEqual([answer.key]);
  });

  it("holds everything when signed out, and sends it after signing in again", async () => {
    server.signedOut = true;
    const sender = makeSender();
    await sender.add(answerTo(1));
    await vi.waitFor(() => expect(sender.getView().state).toBe("signed_out"));
    await sender.add(answerTo(2));
    expect(sender.getView().state).toBe("signed_out");
    expect(await outbox.pending(USER)).toHaveLength(2);
    server.signedOut = false;
    sender.wake();
    await isEmpty(sender);
    expect(server.taken).toHaveLength(2);
  });

  it.each(["password_change_required", "second_factor_setup_required"])(
    "holds everything while somebody has to do something else first: %s",
    async (code) => {
      server.unsettled = code;
      for (const id of [1, 2, 3]) await outbox.add(answerTo(id));
      const sender = makeSender();
      await sender.flush();
      expect(sender.getView()).toMatchObject({ state: "signed_out", rejected: [] });
      expect(await outbox.pending(USER)).toHaveLength(3);
      server.unsettled = null;
      sender.wake();
      await isEmpty(sender);
      expect(server.taken).toHaveLength(3);
    },
  );

  it("sets nothing aside for what a proxy says, and sends all at once after that", async () => {
    server.faults.push("proxy", "proxy");
    for (const id of [1, 2, 3]) await outbox.add(answerTo(id));
    const submit = vi.spyOn(server, "submit");
    const sender = makeSender();
    await sender.flush();
    await isEmpty(sender);
    expect(sender.getView().rejected).toHaveLength(0);
    expect(submit.mock.calls.map(([, answers]) => answers.length)).toEqual([3, 1, 3]);
  });

  it("goes on with other projects while a proxy refuses what is of one", async () => {
    const submit = server.submit.bind(server);
    vi.spyOn(server, "submit").mockImplementation(async (project, answers) => {
      if (project === 1) throw new ApiError(403, {});
      return submit(project, answers);
    });
    await outbox.add(answerTo(1), answerTo(2, { projectId: 2 }), answerTo(3));
    const sender = makeSender();
    void sender.flush();
    await vi.waitFor(() => expect(server.taken.map((one) => one.query_id)).toEqual([2]));
    await vi.waitFor(() => expect(sender.getView().state).toBe("retrying"));
    expect(sender.getView()).toMatchObject({ rejected: [], pending: [{}, {}] });
  });

  it("sends at once what comes while it waits for the storage alone", async () => {
    vi.spyOn(outbox, "pending").mockRejectedValueOnce(new Error("away"));
    const slept = vi.fn();
    const sender = new AnswerSender({
      userId: USER,
      outbox,
      api: server,
      exclusive: (work) => work(),
      wait: (_, wake) =>
        new Promise((resolve) => {
          slept();
          wake.addEventListener("abort", () => resolve());
        }),
    });
    senders.push(sender);
    void sender.flush();
    await vi.waitFor(() => expect(slept).toHaveBeenCalledOnce());
    expect(sender.getView().state).toBe("idle");
    await sender.add(answerTo(1));
    await isEmpty(sender);
    expect(server.taken).toHaveLength(1);
  });

  it("takes storage that does not answer for none that is empty", async () => {
    const refuseOnce = () =>
      vi.spyOn(IDBIndex.prototype, "getAll").mockImplementationOnce(() => {
        throw new Error("away");
      });
    server.signedOut = true;
    const sender = makeSender();
    await sender.add(answerTo(1));
    await vi.waitFor(() => expect(sender.getView().state).toBe("signed_out"));
    server.signedOut = false;
    refuseOnce();
    expect(await sender.answersOf(1)).toHaveLength(1);
    refuseOnce();
    sender.wake();
    await isEmpty(sender);
    expect(server.taken).toHaveLength(1);
    expect(waits).toHaveLength(1);
  });

  it("never sends the answers of another user", async () => {
    await outbox.add(answerTo(1, { userId: 8 }));
    const sender = makeSender();
    await sender.add(answerTo(2));
    await isEmpty(sender);
    expect(server.taken.map((answer) => answer.query_id)).toEqual([2]);
    expect(await outbox.pending(8)).toHaveLength(1);
  });

  it("accepts that someone else was faster", async () => {
    server.elsewhere.add(1);
    const sender = makeSender();
    await sender.add(answerTo(1));
    await isEmpty(sender);
    expect(sender.getView().rejected).toHaveLength(0);
  });

  it("sets refused answers aside and shows them", async () => {
    server.rejectedQueries.add(2);
    const sender = makeSender();
    for (const id of [1, 2, 3]) await sender.add(answerTo(id));
    await isEmpty(sender);
    expect(server.taken.map((answer) => answer.query_id)).toEqual([1, 3]);
    expect(sender.getView().rejected).toMatchObject([
      { code: "unknown_query", subject: { query_id: 2 } },
    ]);
    await sender.dismissRejected();
    expect(sender.getView().rejected).toHaveLength(0);
  });

  it("finds the one malformed answer among good ones", async () => {
    server.malformedQueries.add(3);
    for (const id of [1, 2, 3, 4, 5]) await outbox.add(answerTo(id));
    const sender = makeSender();
    await sender.flush();
    await isEmpty(sender);
    expect(server.taken.map((answer) => answer.query_id)).toEqual([1, 2, 4, 5]);
    expect(sender.getView().rejected).toMatchObject([{ code: "malformed" }]);
  });

  it("does not let a paused project hold up another one", async () => {
    server.faults.push("paused");
    await outbox.add(answerTo(1, { projectId: 1 }));
    await outbox.add(answerTo(2, { projectId: 2 }));
    const sender = makeSender();
    void sender.flush();
    await vi.waitFor(() => expect(server.taken.map((taken) => taken.query_id)).toEqual([2]));
    expect(sender.getView().pending).toHaveLength(1);
    sender.wake();
    await isEmpty(sender);
    expect(server.taken.map((answer) => answer.query_id)).toEqual([2, 1]);
  });
});

describe("sending decisions", () => {
  it("counts each once and keeps their order, although a response was lost", async () => {
    const review = server.openReview(16, 10);
    server.faults.push("lose-response");
    const sender = makeSender();
    const first = decisionOn(1);
    await sender.add(first);
    await sender.add(decisionOn(1, { decision: "ood" }));
    await isEmpty(sender);
    expect(review.requests.flat().filter((key) => key === first.key)).toHaveLength(2);
    expect(review.taken).toMatchObject([
      { key: first.key, suggestion_id: 1, decision: "accept", seconds: 1.5 },
      { suggestion_id: 1, decision: "ood" },
    ]);
    expect(review.decided.get(1)).toBe("ood");
  });

  it("puts decisions of one review into a request, and answers into another", async () => {
    const [one, other] = [server.openReview(16, 10), server.openReview(17, 10)];
    for (const entry of [
      decisionOn(1),
      answerTo(1),
      decisionOn(2, { jobId: 17 }),
      decisionOn(3),
      answerTo(2),
    ]) {
      await outbox.add(entry);
    }
    const sender = makeSender();
    await sender.flush();
    await isEmpty(sender);
    expect(one.requests.map((keys) => keys.length)).toEqual([2]);
    expect(other.requests.map((keys) => keys.length)).toEqual([1]);
    expect(server.taken.map((answer) => answer.query_id)).toEqual([1, 2]);
  });

  it("does not hold decisions while a project takes no answers", async () => {
    const review = server.openReview(16, 10);
    server.faults.push("paused");
    await outbox.add(answerTo(1));
    await outbox.add(decisionOn(1));
    const sender = makeSender();
    void sender.flush();
    await vi.waitFor(() => expect(review.taken).toHaveLength(1));
    expect(sender.getView().pending).toMatchObject([{ kind: "answer" }]);
  });

  it("sets aside the decisions of a review that is gone, and sends what is behind them", async () => {
    const review = server.openReview(16, 10);
    for (const id of [1, 2]) await outbox.add(decisionOn(id, { jobId: 99 }));
    await outbox.add(decisionOn(3));
    const sender = makeSender();
    await sender.flush();
    await isEmpty(sender);
    expect(review.decided.get(3)).toBe("accept");
    expect(sender.getView().rejected).toMatchObject([
      { code: "not_found", subject: { name: "1.png" } },
      { code: "not_found", subject: { name: "2.png" } },
    ]);
  });

  it("loses none of two tabs, whichever sends first", async () => {
    const review = server.openReview(16, 10);
    server.delayMs = 2;
    const [one, other] = [makeSender(), makeSender(await openOutbox({ name: database }))];
    await Promise.all([one.add(decisionOn(1)), other.add(decisionOn(2))]);
    await isEmpty(one);
    expect(review.taken.map(({ suggestion_id }) => suggestion_id).sort()).toEqual([1, 2]);
  });

  it("sends nothing under the name of who has signed in since, in another tab", async () => {
    const review = server.openReview(16, 10);
    let signedIn = 8;
    const sender = makeSender(outbox, () => signedIn === USER);
    await sender.add(decisionOn(1));
    await vi.waitFor(() => expect(sender.getView().state).toBe("signed_out"));
    sender.wake();
    await vi.waitFor(() => expect(sender.getView().state).toBe("signed_out"));
    expect(review.requests).toHaveLength(0);
    signedIn = USER;
    sender.wake();
    await isEmpty(sender);
    expect(review.decided.get(1)).toBe("accept");
  });
});
