import { type DBSchema, type IDBPDatabase, type IDBPTransaction, openDB } from "idb";
import type { Outbox, Pending, Rejected, Stored } from "./model";

interface OutboxSchema extends DBSchema {
  answers: { key: number; value: Stored & { seq?: number }; indexes: { userId: number } };
  rejected: { key: string; value: Rejected; indexes: { userId: number } };
}

type Upgrade = IDBPTransaction<OutboxSchema, ("answers" | "rejected")[], "versionchange">;

const VERSION = 2;

/** The outbox in IndexedDB; rejects where the browser has none. */
export async function openDisk(name: string): Promise<Outbox> {
  const db = await openDB<OutboxSchema>(name, VERSION, {
    upgrade(database, from, _to, transaction) {
      if (from < 1) create(database);
      else void nameKinds(transaction);
    },
    // A newer page wants to upgrade: make way. What is added here from now on stays in memory.
    blocking: (_from, _to, event) => (event.target as IDBDatabase).close(),
  });
  return new DiskOutbox(db);
}

function create(database: IDBPDatabase<OutboxSchema>): void {
  const answers = database.createObjectStore("answers", { keyPath: "seq", autoIncrement: true });
  answers.createIndex("userId", "userId");
  const rejected = database.createObjectStore("rejected", { keyPath: "key" });
  rejected.createIndex("userId", "userId");
}

/** The first version knew answers only, and did not say so. */
async function nameKinds(transaction: Upgrade): Promise<void> {
  for (const store of ["answers", "rejected"] as const) {
    let cursor = await transaction.objectStore(store).openCursor();
    while (cursor) {
      await cursor.update({ ...cursor.value, kind: "answer" } as Rejected);
      cursor = await cursor.continue();
    }
  }
}

/** Earlier versions called the verdict `class` that comes with a label. */
function renamed<Kept extends Stored>(entry: Kept): Kept {
  const said: string | null = "verdict" in entry ? entry.verdict : null;
  return said === "class" ? { ...entry, verdict: "label" } : entry;
}

class DiskOutbox implements Outbox {
  readonly durable = true;
  readonly #db: IDBPDatabase<OutboxSchema>;

  constructor(db: IDBPDatabase<OutboxSchema>) {
    this.#db = db;
  }

  async add(...entries: Stored[]): Promise<Pending[]> {
    // Relaxed: handed to the operating system, not flushed to the disk. It survives a crash of
    // the browser and costs about a millisecond.
    const tx = this.#db.transaction("answers", "readwrite", { durability: "relaxed" });
    const keys = Promise.all(entries.map((entry) => tx.store.add(entry)));
    const [seqs] = await Promise.all([keys, tx.done]);
    return entries.map((entry, index) => ({ ...entry, seq: seqs[index] as number }));
  }

  async pending(userId: number): Promise<Pending[]> {
    const rows = await this.#db.getAllFromIndex("answers", "userId", userId);
    return (rows as Pending[]).map(renamed).sort((a, b) => a.seq - b.seq);
  }

  async settle(entries: Pending[]): Promise<void> {
    const tx = this.#db.transaction("answers", "readwrite");
    await Promise.all([...entries.map((entry) => tx.store.delete(entry.seq)), tx.done]);
  }

  async reject(entry: Pending, code: string, detail: string): Promise<void> {
    const tx = this.#db.transaction(["answers", "rejected"], "readwrite");
    await Promise.all([
      tx.objectStore("rejected").put({ ...entry, code, detail }),
      tx.objectStore("answers").delete(entry.seq),
      tx.done,
    ]);
  }

  async rejected(userId: number): Promise<Rejected[]> {
    return (await this.#db.getAllFromIndex("rejected", "userId", userId)).map(renamed);
  }

  async dismiss(userId: number): Promise<void> {
    const keys = await this.#db.getAllKeysFromIndex("rejected", "userId", userId);
    const tx = this.#db.transaction("rejected", "readwrite");
    await Promise.all([...keys.map((key) => tx.store.delete(key)), tx.done]);
  }
}
