import { type DBSchema, type IDBPDatabase, openDB } from "idb";
import type { PendingAnswer, RejectedAnswer, StoredAnswer } from "./model";

interface OutboxSchema extends DBSchema {
  answers: { key: number; value: StoredAnswer & { seq?: number }; indexes: { userId: number } };
  rejected: { key: string; value: RejectedAnswer; indexes: { userId: number } };
}

/** Answers on their way to the server, in the order in which they were given. */
export interface Outbox {
  /** Whether the answers survive a reload. */
  readonly durable: boolean;
  /** Resolves once the answer is stored. */
  add(answer: StoredAnswer): Promise<PendingAnswer>;
  pending(userId: number): Promise<PendingAnswer[]>;
  /** Drop answers the server has acknowledged. */
  settle(answers: PendingAnswer[]): Promise<void>;
  /** Set an answer aside that the server will never take. */
  reject(answer: PendingAnswer, code: string, detail: string): Promise<void>;
  rejected(userId: number): Promise<RejectedAnswer[]>;
  dismiss(userId: number): Promise<void>;
}

class IndexedDbOutbox implements Outbox {
  readonly durable = true;
  readonly #db: IDBPDatabase<OutboxSchema>;

  constructor(db: IDBPDatabase<OutboxSchema>) {
    this.#db = db;
  }

  async add(answer: StoredAnswer): Promise<PendingAnswer> {
    // Relaxed: handed to the operating system, not flushed to the disk. It survives a crash of
    // the browser and costs about a millisecond.
    const tx = this.#db.transaction("answers", "readwrite", { durability: "relaxed" });
    const [seq] = await Promise.all([tx.store.add(answer), tx.done]);
    return { ...answer, seq };
  }

  async pending(userId: number): Promise<PendingAnswer[]> {
    const rows = await this.#db.getAllFromIndex("answers", "userId", userId);
    return (rows as PendingAnswer[]).sort((a, b) => a.seq - b.seq);
  }

  async settle(answers: PendingAnswer[]): Promise<void> {
    const tx = this.#db.transaction("answers", "readwrite");
    await Promise.all([...answers.map((answer) => tx.store.delete(answer.seq)), tx.done]);
  }

  async reject(answer: PendingAnswer, code: string, detail: string): Promise<void> {
    const tx = this.#db.transaction(["answers", "rejected"], "readwrite");
    await Promise.all([
      tx.objectStore("rejected").put({ ...answer, code, detail }),
      tx.objectStore("answers").delete(answer.seq),
      tx.done,
    ]);
  }

  rejected(userId: number): Promise<RejectedAnswer[]> {
    return this.#db.getAllFromIndex("rejected", "userId", userId);
  }

  async dismiss(userId: number): Promise<void> {
    const keys = await this.#db.getAllKeysFromIndex("rejected", "userId", userId);
    const tx = this.#db.transaction("rejected", "readwrite");
    await Promise.all([...keys.map((key) => tx.store.delete(key)), tx.done]);
  }
}

/** Stands in where the browser refuses storage, such as some private windows. */
export class MemoryOutbox implements Outbox {
  readonly durable = false;
  #answers: PendingAnswer[] = [];
  #rejected: RejectedAnswer[] = [];
  #seq = 0;

  async add(answer: StoredAnswer): Promise<PendingAnswer> {
    this.#seq += 1;
    const stored = { ...answer, seq: this.#seq };
    this.#answers.push(stored);
    return stored;
  }

  async pending(userId: number): Promise<PendingAnswer[]> {
    return this.#answers.filter((answer) => answer.userId === userId);
  }

  async settle(answers: PendingAnswer[]): Promise<void> {
    const settled = new Set(answers.map((answer) => answer.seq));
    this.#answers = this.#answers.filter((answer) => !settled.has(answer.seq));
  }

  async reject(answer: PendingAnswer, code: string, detail: string): Promise<void> {
    this.#rejected.push({ ...answer, code, detail });
    await this.settle([answer]);
  }

  async rejected(userId: number): Promise<RejectedAnswer[]> {
    return this.#rejected.filter((answer) => answer.userId === userId);
  }

  async dismiss(userId: number): Promise<void> {
    this.#rejected = this.#rejected.filter((answer) => answer.userId !== userId);
  }
}

export async function openOutbox(name = "karat"): Promise<Outbox> {
  try {
    const db = await openDB<OutboxSchema>(name, 1, {
      upgrade(database) {
        const answers = database.createObjectStore("answers", {
          keyPath: "seq",
          autoIncrement: true,
        });
        answers.createIndex("userId", "userId");
        const rejected = database.createObjectStore("rejected", { keyPath: "key" });
        rejected.createIndex("userId", "userId");
      },
    });
    return new IndexedDbOutbox(db);
  } catch {
    return new MemoryOutbox();
  }
}
