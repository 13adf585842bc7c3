import { type TableChoice, uploadImport } from "../../api/imports";
import type { Job, Split } from "../../api/types";
import { Listeners } from "../../lib/listeners";
import { pack, type Source } from "./folders";

export type UploadEntry = {
  id: number;
  name: string;
  split: Split;
  files: number;
  state: "waiting" | "packing" | "uploading" | "failed";
  sent: number;
  total: number;
  error: Error | null;
};

/** What to send, the columns of it that become annotations, and whether it is to be planned first. */
export type Sending = {
  content: File | Source;
  split: Split;
  annotations: string[];
  textColumn?: string | undefined;
  labelColumn?: string | undefined;
  table?: TableChoice | undefined;
  dryRun: boolean;
};

type Waiting = {
  entry: UploadEntry;
  sending: Sending;
  stop: AbortController;
  /** Called with the job, or with nothing if there is none. */
  onDone: (job: Job | null) => void;
};

/** Uploads to one project, one after the other. It outlives the page, so that one may look elsewhere. */
class UploadQueue {
  readonly #projectId: number;
  readonly #listeners = new Listeners();
  readonly #waiting: Waiting[] = [];
  #entries: readonly UploadEntry[] = [];
  #running = false;
  #nextId = 1;
  /** Of each queue its own: the window keeps one and the same only once. */
  readonly #warn = (event: BeforeUnloadEvent): void => event.preventDefault();

  constructor(projectId: number) {
    this.#projectId = projectId;
  }

  readonly subscribe = this.#listeners.subscribe;

  readonly getEntries = (): readonly UploadEntry[] => this.#entries;

  add(sending: Sending, onDone: Waiting["onDone"]): void {
    const { content, split } = sending;
    const isFile = content instanceof File;
    const entry: UploadEntry = {
      id: this.#nextId,
      name: content.name,
      split,
      files: isFile ? 1 : content.files.length,
      state: "waiting",
      sent: 0,
      total: isFile ? content.size : 0,
      error: null,
    };
    this.#nextId += 1;
    this.#waiting.push({ entry, sending, stop: new AbortController(), onDone });
    this.#publish([...this.#entries, entry]);
    void this.#run();
  }

  /** Stop an upload, or forget a failed one. */
  remove(id: number): void {
    const index = this.#waiting.findIndex(({ entry }) => entry.id === id);
    const [waiting] = index >= 0 ? this.#waiting.splice(index, 1) : [];
    waiting?.stop.abort();
    this.#publish(this.#entries.filter((entry) => entry.id !== id));
  }

  async #run(): Promise<void> {
    if (this.#running) return;
    this.#running = true;
    window.addEventListener("beforeunload", this.#warn);
    for (let next = this.#waiting[0]; next; next = this.#waiting[0]) {
      const job = await this.#upload(next);
      const index = this.#waiting.indexOf(next);
      if (index >= 0) this.#waiting.splice(index, 1);
      next.onDone(job);
    }
    window.removeEventListener("beforeunload", this.#warn);
    this.#running = false;
  }

  async #upload({ entry, sending, stop }: Waiting): Promise<Job | null> {
    const { id, split } = entry;
    const { content, annotations, textColumn, labelColumn, table, dryRun } = sending;
    try {
      const isFile = content instanceof File;
      if (!isFile) this.#change(id, { state: "packing" });
      const body = isFile ? content : await pack(content);
      if (stop.signal.aborted) return null;
      this.#change(id, { state: "uploading", total: body.size });
      const job = await uploadImport({
        projectId: this.#projectId,
        body,
        filename: isFile ? content.name : `${content.name}.zip`,
        split,
        annotations,
        textColumn,
        labelColumn,
        table,
        packed: isFile ? null : content.kind,
        dryRun,
        onProgress: (sent, total) => this.#change(id, { sent, total }),
        signal: stop.signal,
      });
      this.#publish(this.#entries.filter((other) => other.id !== id));
      return job;
    } catch (error) {
      if (!stop.signal.aborted) this.#change(id, { state: "failed", error: asError(error) });
      return null;
    }
  }

  #change(id: number, change: Partial<UploadEntry>): void {
    this.#publish(
      this.#entries.map((entry) => (entry.id === id ? { ...entry, ...change } : entry)),
    );
  }

  #publish(entries: readonly UploadEntry[]): void {
    this.#entries = entries;
    this.#listeners.tell();
  }
}

const asError = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(String(thrown));

const queues = new Map<number, UploadQueue>();

export function uploadsOf(projectId: number): UploadQueue {
  const queue = queues.get(projectId) ?? new UploadQueue(projectId);
  queues.set(projectId, queue);
  return queue;
}
