import { type DBSchema, type IDBPDatabase, type IDBPTransaction, openDB } from "idb";
import type { Outbox, Pending, Rejected, Stored } from "./model";

interface OutboxSchema extends DBSchema {
  answers: { key: number; value: Stored & { seq?: number }; indexes: { userId: number } };
  rejected: { key: string; value: Rejected; indexes: { userId: number } };
}

type Upgrade = IDBPTransaction<OutboxSchema, ("answers" | "rejected")[], "versionchange">;

const VERSION = 2;

/** What browsers say of a connection that they have closed themselves, and of one that is gone in between. */
const LOST: ReadonlySet<string> = new Set(["InvalidStateError", "UnknownError"]);

/** The outbox in IndexedDB; rejects where the browser has none. Opened again, it is waited for that long. */
export async function openDisk(name: string, patience: number): Promise<Outbox> {
  const disk = new DiskOutbox(name, patience);
  await disk.opened();
  return disk;
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
  readonly #name: string;
  readonly #patience: number;
  #db: Promise<IDBPDatabase<OutboxSchema>> | null = null;
  #durable = true;

  constructor(name: string, patience: number) {
    this.#name = name;
    this.#patience = patience;
  }

  /** Until a newer page has the storage, which sends what is in it. */
  get durable(): boolean {
    return this.#durable;
  }

  async opened(): Promise<void> {
    await this.#opened();
  }

  add(...entries: Stored[]): Promise<Pending[]> {
    return this.#with(async (db) => {
      // Relaxed: handed to the operating system, not flushed to the disk. It survives a crash of
      // the browser and costs about a millisecond.
      const tx = db.transaction("answers", "readwrite", { durability: "relaxed" });
      const keys = Promise.all(entries.map((entry) => tx.store.add(entry)));
      const [seqs] = await Promise.all([keys, tx.done]);
      return entries.map((entry, index) => ({ ...entry, seq: seqs[index] as number }));
    });
  }

  async pending(userId: number): Promise<Pending[]> {
    const rows = await this.#with((db) => db.getAllFromIndex("answers", "userId", userId));
    return (rows as Pending[]).map(renamed).sort((a, b) => a.seq - b.seq);
  }

  settle(entries: Pending[]): Promise<void> {
    return this.#with(async (db) => {
      const tx = db.transaction("answers", "readwrite");
      await Promise.all([...entries.map((entry) => tx.store.delete(entry.seq)), tx.done]);
    });
  }

  reject(entry: Pending, code: string, detail: string): Promise<void> {
    return this.#with(async (db) => {
      const tx = db.transaction(["answers", "rejected"], "readwrite");
      await Promise.all([
        tx.objectStore("rejected").put({ ...entry, code, detail }),
        tx.objectStore("answers").delete(entry.seq),
        tx.done,
      ]);
    });
  }

  async rejected(userId: number): Promise<Rejected[]> {
    const rows = await this.#with((db) => db.getAllFromIndex("rejected", "userId", userId));
    return rows.map(renamed);
  }

  dismiss(userId: number): Promise<void> {
    return this.#with(async (db) => {
      const keys = await db.getAllKeysFromIndex("rejected", "userId", userId);
      const tx = db.transaction("rejected", "readwrite");
      await Promise.all([...keys.map((key) => tx.store.delete(key)), tx.done]);
    });
  }

  /** Work with the storage. Browsers close that of pages in the background: it is opened again, once a call. */
  async #with<T>(work: (db: IDBPDatabase<OutboxSchema>) => Promise<T>): Promise<T> {
    const used = this.#opened();
    try {
      return await work(await this.#soon(used));
    } catch (error) {
      if (!this.#durable || !LOST.has((error as Error).name)) throw error;
      if (this.#db === used) this.#db = null;
      return await work(await this.#soon(this.#opened()));
    }
  }

  #opened(): Promise<IDBPDatabase<OutboxSchema>> {
    this.#db ??= this.#open();
    return this.#db;
  }

  /** What opens, unless that takes too long: it may come yet, and nobody's work stops meanwhile. */
  async #soon<T>(opening: Promise<T>): Promise<T> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      const error = new DOMException("The storage does not open.", "TimeoutError");
      timer = setTimeout(() => reject(error), this.#patience);
    });
    return Promise.race([opening, late]).finally(() => clearTimeout(timer));
  }

  #open(): Promise<IDBPDatabase<OutboxSchema>> {
    const opening = openDB<OutboxSchema>(this.#name, VERSION, {
      upgrade(database, from, _to, transaction) {
        if (from < 1) create(database);
        else void nameKinds(transaction);
      },
      // A newer page wants to upgrade: make way. What is added here from now on stays in memory.
      blocking: (_from, _to, event) => {
        this.#durable = false;
        (event.target as IDBDatabase).close();
      },
    });
    opening.catch((error: Error) => {
      // It has come while the storage was closed.
      if (error.name === "VersionError") this.#durable = false;
      if (this.#db === opening) this.#db = null;
    });
    return opening;
  }
}
