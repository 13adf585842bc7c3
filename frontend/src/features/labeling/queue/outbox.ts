import { openDisk } from "./disk";
import type { Outbox, Pending, Rejected, Stored } from "./model";

/** Entries in memory come after all that a disk can have numbered. */
const MEMORY_FROM = 2 ** 40;
/** A browser that has not opened its storage by then may never do it, say for another tab's sake. */
const PATIENCE_MS = 4_000;

/** Stands in where the browser refuses storage, such as some private windows. */
export class MemoryOutbox implements Outbox {
  readonly durable = false;
  #entries: Pending[] = [];
  #rejected: Rejected[] = [];
  #seq = MEMORY_FROM;

  get size(): number {
    return this.#entries.length;
  }

  async add(...entries: Stored[]): Promise<Pending[]> {
    const stored = entries.map((entry, index) => ({ ...entry, seq: this.#seq + index + 1 }));
    this.#seq += entries.length;
    this.#entries.push(...stored);
    return stored;
  }

  async pending(userId: number): Promise<Pending[]> {
    return this.#entries.filter((entry) => entry.userId === userId);
  }

  async settle(entries: Pending[]): Promise<void> {
    const settled = new Set(entries.map((entry) => entry.seq));
    this.#entries = this.#entries.filter((entry) => !settled.has(entry.seq));
  }

  async reject(entry: Pending, code: string, detail: string): Promise<void> {
    this.#rejected.push({ ...entry, code, detail });
    await this.settle([entry]);
  }

  async rejected(userId: number): Promise<Rejected[]> {
    return this.#rejected.filter((entry) => entry.userId === userId);
  }

  async dismiss(userId: number): Promise<void> {
    this.#rejected = this.#rejected.filter((entry) => entry.userId !== userId);
  }
}

/** The browser's storage, and memory for what it refuses: nobody's work stops at a full disk. */
export class SafeOutbox implements Outbox {
  readonly #memory = new MemoryOutbox();
  #disk: Outbox | null = null;
  #full = false;

  attach(disk: Outbox): void {
    this.#disk = disk;
  }

  /** The storage, unless a newer page has it: that sends what is there. */
  get #own(): Outbox | null {
    return this.#disk?.durable ? this.#disk : null;
  }

  get durable(): boolean {
    return this.#own !== null && !this.#full;
  }

  async add(...entries: Stored[]): Promise<Pending[]> {
    // What follows an entry in memory must not overtake it.
    const disk = this.#own;
    if (disk && this.#memory.size === 0) {
      try {
        const stored = await disk.add(...entries);
        this.#full = false;
        return stored;
      } catch {
        this.#full = true;
      }
    }
    return this.#memory.add(...entries);
  }

  async pending(userId: number): Promise<Pending[]> {
    const kept = await this.#memory.pending(userId);
    try {
      return [...((await this.#own?.pending(userId)) ?? []), ...kept];
    } catch (error) {
      // What is in memory is sent, whatever has become of the disk; and else nobody knows what waits.
      if (kept.length > 0 || !this.#own) return kept;
      throw error;
    }
  }

  async settle(entries: Pending[]): Promise<void> {
    const stored = entries.filter((entry) => entry.seq < MEMORY_FROM);
    await this.#memory.settle(entries);
    if (stored.length > 0) await this.#own?.settle(stored);
  }

  async reject(entry: Pending, code: string, detail: string): Promise<void> {
    const place = entry.seq < MEMORY_FROM ? this.#own : this.#memory;
    await place?.reject(entry, code, detail);
  }

  async rejected(userId: number): Promise<Rejected[]> {
    const stored = (await this.#own?.rejected(userId).catch(() => [])) ?? [];
    return [...stored, ...(await this.#memory.rejected(userId))];
  }

  async dismiss(userId: number): Promise<void> {
    await this.#memory.dismiss(userId);
    await this.#own?.dismiss(userId);
  }
}

type Opening = {
  name?: string;
  patience?: number;
  /** Called when the storage opens after all: what earlier visits have left is in view now. */
  onLate?: () => void;
};

/**
 * The outbox of this browser. Storage that opens late, or never, does not keep anyone waiting.
 *
 * Until it is open nobody can tell which images have an answer that is still to be sent, so that they
 * are shown again.
 */
export async function openOutbox(opening: Opening = {}): Promise<Outbox> {
  const { name = "karat", patience = PATIENCE_MS, onLate } = opening;
  const outbox = new SafeOutbox();
  let late = false;
  const opened = openDisk(name, patience).then(
    (disk) => {
      outbox.attach(disk);
      if (late) onLate?.();
    },
    () => {},
  );
  await Promise.race([opened, new Promise((resolve) => setTimeout(resolve, patience))]);
  late = true;
  return outbox;
}
