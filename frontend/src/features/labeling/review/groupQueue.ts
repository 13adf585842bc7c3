import { NetworkError } from "../../../api/errors";
import { leaseGroup } from "../../../api/reviews";
import type { Decision, Review, ReviewedJob, ReviewLease, Suggestion } from "../../../api/types";
import { Listeners } from "../../../lib/listeners";
import { RETRY_MS } from "../queue/leases";
import type { AnswerSender } from "../queue/sender";
import type { Sent } from "../queue/sending";
import { Stopwatch } from "../queue/stopwatch";
import { uuid } from "../queue/uuid";
import type { OnState, States } from "../useComingUp";
import type { Choice } from "./choices";

/** A group that was decided on, and how. */
type Done = {
  group: Suggestion[];
  /** Those that were left out by hand. */
  left: ReadonlySet<number>;
  decided: Suggestion[];
  choice: Choice;
};

export type GroupView = {
  /** Null while it is asked for; empty when no group is left. */
  group: Suggestion[] | null;
  /** Those of the group that are left out. */
  left: ReadonlySet<number>;
  states: States;
  last: Done | null;
  review: Review | null;
  classesVersion: number | undefined;
  late: number;
  error: Error | null;
};

type Dependencies = {
  projectId: number;
  jobId: ReviewedJob;
  userId: number;
  sender: AnswerSender;
  lease?: (passed: number[]) => Promise<ReviewLease>;
  retryMs?: number;
};

/** How many groups can be gone back to. */
const REACHABLE = 50;
/** What the server takes at once of groups that are not to come again. */
const MOST_PASSED = 10_000;

const NOBODY: ReadonlySet<number> = new Set();
const UNKNOWN: States = new Map();

/** Those of the group that no decision is made on: they are left out, or cannot be shown. */
export function omitted({ group, left, states }: GroupView): ReadonlySet<number> {
  const ids = (group ?? []).map(({ id }) => id);
  return new Set(ids.filter((id) => left.has(id) || states.get(id) === "failed"));
}

/** Whether all that is decided on has come up; where nothing has, all was left out by hand. */
export function isShown(view: GroupView): boolean {
  const { group, left, states } = view;
  const out = omitted(view);
  if (!group?.every(({ id }) => out.has(id) || states.get(id) === "ready")) return false;
  return group.some(({ id }) => !out.has(id)) || group.every(({ id }) => left.has(id));
}

/** Groups of alike suggestions, one after the other; the sender takes the decisions from here. */
export class GroupQueue {
  readonly #deps: Dependencies;
  readonly #lease: (passed: number[]) => Promise<ReviewLease>;
  readonly #listeners = new Listeners();
  readonly #stopwatch = new Stopwatch();
  readonly #passed = new Set<number>();
  readonly #keys = new Set<string>();
  readonly #history: Done[] = [];
  #view: GroupView = {
    group: null,
    left: NOBODY,
    states: UNKNOWN,
    last: null,
    review: null,
    classesVersion: undefined,
    late: 0,
    error: null,
  };
  #asked = 0;
  /** What came with decisions since: newer than what a group on its way will say. */
  #heardSince: Pick<Partial<GroupView>, "review" | "classesVersion"> = {};
  #busy = false;
  #again: ReturnType<typeof setTimeout> | undefined;

  constructor(dependencies: Dependencies) {
    const { projectId, jobId, lease } = dependencies;
    this.#deps = dependencies;
    this.#lease = lease ?? ((passed) => leaseGroup(projectId, jobId, passed));
  }

  readonly subscribe = this.#listeners.subscribe;

  readonly getView = (): GroupView => this.#view;

  /** Returns what stops it. */
  start(): () => void {
    const unlisten = this.#deps.sender.onResponse((sent) => this.#hear(sent));
    void this.load();
    return () => {
      this.#forget();
      unlisten();
    };
  }

  /** Ask for the next group. */
  readonly load = async (): Promise<void> => {
    const mine = this.#forget();
    this.#heardSince = {};
    this.#set({ group: null, left: NOBODY, states: UNKNOWN, error: null });
    try {
      const unsent = await this.#unsent();
      const passed = [...this.#passed].slice(-MOST_PASSED);
      const { items, review, classes_version } = await this.#lease(passed);
      if (mine !== this.#asked) return;
      const group = items.filter(({ id }) => !unsent.has(id));
      if (group.length === 0 && items.length > 0) return this.#pass(items);
      this.#stopwatch.start();
      const said = { review, classesVersion: classes_version };
      this.#set({ group, ...said, ...this.#heardSince });
    } catch (error) {
      if (mine !== this.#asked) return;
      this.#set({ error: error as Error });
      if (error instanceof NetworkError)
        this.#again = setTimeout(this.load, this.#deps.retryMs ?? RETRY_MS);
    }
  };

  /** Leave an image out of the group, or take it in again. */
  toggle(id: number): void {
    const left = new Set(this.#view.left);
    if (!left.delete(id)) left.add(id);
    this.#set({ left });
  }

  /** An image of the group has come up, or cannot be shown, or is asked for again. */
  readonly hearOf: OnState = (id, state) => {
    this.#set({ states: new Map([...this.#view.states, [id, state]]) });
  };

  /** Decide on all images that are not left out; false where there is nothing to decide on yet. */
  async decide(choice: Choice, classesVersion?: number): Promise<boolean> {
    const view = this.#view;
    const { group } = view;
    if (!group || this.#busy || !isShown(view)) return false;
    const out = omitted(view);
    const chosen = group.filter(({ id }) => !out.has(id));
    if (chosen.length === 0) {
      // Whoever leaves all of them out wants the next ones.
      this.#pass(group);
      return false;
    }
    this.#busy = true;
    try {
      const seconds = Math.round((this.#stopwatch.seconds() * 1000) / chosen.length) / 1000;
      await this.#store(chosen, choice.decision, choice.classId, seconds, classesVersion);
    } finally {
      this.#busy = false;
    }
    this.#pass(group);
    const last = { group, left: view.left, decided: chosen, choice };
    this.#history.push(last);
    if (this.#history.length > REACHABLE) this.#history.shift();
    this.#set({ last });
    return true;
  }

  /** Suggestions that are decided on here, of which the server does not know yet. */
  async #unsent(): Promise<ReadonlySet<number>> {
    const { sender, projectId, jobId } = this.#deps;
    const stored = await sender.decisionsOf(projectId, jobId);
    const latest = new Map(stored.map(({ subject, decision }) => [subject.id, decision]));
    return new Set([...latest.keys()].filter((id) => latest.get(id) !== null));
  }

  /** Show another group, and this one no more. */
  #pass(group: readonly Suggestion[]): void {
    for (const { alike } of group) if (alike !== null) this.#passed.add(alike);
    void this.load();
  }

  /** Take back what was decided on the group before, and show it again. */
  async undo(): Promise<boolean> {
    const before = this.#history.at(-1);
    if (!before || this.#busy) return false;
    this.#busy = true;
    try {
      await this.#store(before.decided, null, null, 0);
    } finally {
      this.#busy = false;
    }
    this.#history.pop();
    this.#forget();
    this.#stopwatch.start();
    const last = this.#history.at(-1) ?? null;
    this.#set({ group: before.group, left: before.left, last, error: null });
    return true;
  }

  /** What was asked for, or will be, comes too late; returns the number of who asks next. */
  #forget(): number {
    clearTimeout(this.#again);
    this.#asked += 1;
    return this.#asked;
  }

  async #store(
    subjects: Suggestion[],
    decision: Decision | null,
    classId: number | null,
    seconds: number,
    classesVersion?: number,
  ): Promise<void> {
    const { sender, projectId, jobId, userId } = this.#deps;
    const shown = classesVersion === undefined ? {} : { classesVersion };
    const place = { projectId, jobId, userId, ...shown };
    const said = { kind: "decision", ...place, decision, classId, seconds } as const;
    const entries = subjects.map((subject) => ({ ...said, key: uuid(), subject }));
    for (const { key } of entries) this.#keys.add(key);
    await sender.add(...entries);
  }

  /** The server has taken some decisions; it says when somebody else had decided before. */
  #hear(sent: Sent): void {
    const { projectId, jobId } = this.#deps;
    if (sent.kind !== "decision" || sent.projectId !== projectId || sent.jobId !== jobId) return;
    const { results, review, classes_version: classesVersion } = sent.response;
    const late = results.filter(({ key, status }) => status === "late" && this.#keys.has(key));
    this.#heardSince = { review, classesVersion };
    this.#set({ ...this.#heardSince, late: this.#view.late + late.length });
    for (const { key } of results) this.#keys.delete(key);
  }

  #set(change: Partial<GroupView>): void {
    this.#view = { ...this.#view, ...change };
    this.#listeners.tell();
  }
}
