import { openDB } from "idb";
import { afterEach, beforeEach, expect, it, type MockInstance, vi } from "vitest";
import type { Verdict } from "../../../api/types";
import type { StoredAnswer } from "./model";
import { MemoryOutbox, openOutbox, SafeOutbox } from "./outbox";
import { uuid } from "./uuid";

const USER = 7;
let database: string;

function answerTo(queryId: number): StoredAnswer {
  const subject = {
    query_id: queryId,
    example_id: 1,
    image_url: "",
    width: 8,
    height: 8,
    name: "",
  };
  return {
    kind: "answer",
    key: uuid(),
    userId: USER,
    projectId: 1,
    subject,
    verdict: "ood",
    classId: null,
    seconds: 1,
    supersedes: null,
    leaseToken: null,
  };
}

/** As earlier versions of the page left it: answers only, without their kind. */
async function openFirstVersion() {
  const db = await openDB(database, 1, {
    upgrade(fresh) {
      fresh
        .createObjectStore("answers", { keyPath: "seq", autoIncrement: true })
        .createIndex("userId", "userId");
      fresh.createObjectStore("rejected", { keyPath: "key" }).createIndex("userId", "userId");
    },
  });
  for (const id of [1, 2]) {
    const { kind: _, ...answer } = { ...answerTo(id), classId: 3, verdict: "class" as Verdict };
    await db.add("answers", answer);
    await db.add("rejected", { ...answer, code: "unknown_query", detail: "" });
  }
  return db;
}

beforeEach(() => {
  database = uuid();
});

afterEach(() => vi.restoreAllMocks());

it("keeps what an earlier version of the page has stored", async () => {
  (await openFirstVersion()).close();
  const outbox = await openOutbox({ name: database });
  await outbox.add(answerTo(3));
  const kept = [1, 2, 3].map((query_id) => ({ kind: "answer", subject: { query_id } }));
  const pending = await outbox.pending(USER);
  expect(pending).toMatchObject(kept);
  // The word for it was another then.
  const said = [...pending, ...(await outbox.rejected(USER))].map(
    (one) => "verdict" in one && one.verdict,
  );
  expect(said).toEqual(["label", "label", "ood", "label", "label"]);
  expect(outbox.durable).toBe(true);
});

it("does not wait for an old tab that keeps the storage, and takes it up after that", async () => {
  const old = await openFirstVersion();
  const onLate = vi.fn();
  const outbox = await openOutbox({ name: database, patience: 5, onLate });
  expect(outbox.durable).toBe(false);
  await outbox.add(answerTo(3));
  expect(onLate).not.toHaveBeenCalled();
  old.close();
  await vi.waitFor(() => expect(onLate).toHaveBeenCalledOnce());
  expect(await outbox.pending(USER)).toHaveLength(3);
  // Behind the one in memory, whatever the disk takes by now.
  await outbox.add(answerTo(4));
  const ids = (await outbox.pending(USER)).map(
    ({ subject }) => "query_id" in subject && subject.query_id,
  );
  expect(ids).toEqual([1, 2, 3, 4]);
});

it("makes way for a later version, and goes on in memory", async () => {
  const outbox = await openOutbox({ name: database });
  await outbox.add(answerTo(1));
  (await openDB(database, 99)).close();
  await outbox.add(answerTo(2));
  expect(outbox.durable).toBe(false);
  expect(await outbox.pending(USER)).toMatchObject([{ subject: { query_id: 2 } }]);
});

/** As browsers do to pages that were in the background for long. */
function closeBehind({ mock }: MockInstance<IDBFactory["open"]>) {
  for (const { value } of mock.results) value?.result.close();
}

it("opens the storage again that the browser has closed, and finds what is in it", async () => {
  const opening = vi.spyOn(indexedDB, "open");
  const outbox = await openOutbox({ name: database });
  await outbox.add(answerTo(1));
  closeBehind(opening);
  const [first] = await Promise.all([outbox.pending(USER), outbox.rejected(USER)]);
  expect(first).toMatchObject([{ subject: { query_id: 1 } }]);
  expect(opening).toHaveBeenCalledTimes(2);
  closeBehind(opening);
  await outbox.add(answerTo(2));
  expect(outbox.durable).toBe(true);
  closeBehind(opening);
  await outbox.settle(first);
  expect(await outbox.pending(USER)).toMatchObject([{ subject: { query_id: 2 } }]);
});

it("waits for storage that does not open again no longer than at first", async () => {
  const open = indexedDB.open.bind(indexedDB);
  const held = await openFirstVersion();
  const opening = vi.spyOn(indexedDB, "open");
  const outbox = await openOutbox({ name: uuid(), patience: 50 });
  await outbox.add(answerTo(1));
  closeBehind(opening);
  // As long as somebody has an earlier version, it does not open.
  opening.mockImplementation(() => open(held.name, 2));
  await outbox.add(answerTo(2));
  expect(outbox.durable).toBe(false);
  expect(await outbox.pending(USER)).toMatchObject([{ subject: { query_id: 2 } }]);
  expect(opening).toHaveBeenCalledTimes(2);
  held.close();
});

it("leaves the storage to a later version that has come while it was closed", async () => {
  const opening = vi.spyOn(indexedDB, "open");
  const outbox = await openOutbox({ name: database });
  closeBehind(opening);
  (await openDB(database, 99)).close();
  expect(await outbox.pending(USER)).toEqual([]);
  await outbox.add(answerTo(1));
  expect(outbox.durable).toBe(false);
  expect(await outbox.pending(USER)).toMatchObject([{ subject: { query_id: 1 } }]);
});

it("keeps in memory what a full disk refuses, in order, until there is room", async () => {
  const disk = Object.assign(new MemoryOutbox(), { durable: true });
  const outbox = new SafeOutbox();
  outbox.attach(disk);
  const add = vi.spyOn(disk, "add").mockRejectedValueOnce(new DOMException("full"));
  const kept = [...(await outbox.add(answerTo(1))), ...(await outbox.add(answerTo(2)))];
  expect(add).toHaveBeenCalledTimes(1);
  expect(await outbox.pending(USER)).toEqual(kept);
  await outbox.settle(kept);
  await outbox.add(answerTo(3));
  expect(outbox.durable).toBe(true);
});
