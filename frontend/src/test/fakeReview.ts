import { ApiError, NetworkError } from "../api/errors";
import { labelOf } from "../api/labels";
import type { ReviewApi } from "../api/reviews";
import type {
  DecisionInput,
  DecisionResult,
  DecisionsResponse,
  Review,
  ReviewedJob,
  Suggestion,
} from "../api/types";

/** The suggestions of one job in memory; its requests arrive, or do not, as `arrive` says. */
export class FakeReview implements ReviewApi {
  /** Every decision as it was first taken, in order. */
  readonly taken: DecisionInput[] = [];
  /** The keys of each request that came in. */
  readonly requests: string[][] = [];
  /** What holds, by suggestion. */
  readonly decided = new Map<number, Suggestion["decision"]>();
  /** The class of decisions that name one, by suggestion. */
  readonly named = new Map<number, number>();
  /** Suggestions on a colleague's screen. */
  readonly elsewhere = new Set<number>();
  /** Suggestions that colleagues have decided on. */
  readonly theirs = new Set<number>();
  readonly unknown = new Set<number>();
  leases = 0;
  readonly #results = new Map<string, DecisionResult>();

  constructor(
    readonly jobId: ReviewedJob,
    readonly size: number,
    /** Throws, or says whether the response is to be lost. */
    readonly arrive: () => Promise<boolean>,
    readonly expires: () => number,
  ) {}

  async lease(n: number) {
    await this.arrive();
    this.leases += 1;
    const open = this.#all().filter(({ id, decision }) => !decision && !this.elsewhere.has(id));
    const items = open.slice(0, n);
    const expires_at = new Date(this.expires()).toISOString();
    return { classes_version: 1, expires_at, items, review: this.#review() };
  }

  async recent(limit: number) {
    await this.arrive();
    const ids = [...this.decided.keys()].filter((id) => !this.theirs.has(id));
    const all = this.#all();
    return ids
      .slice(-limit)
      .reverse()
      .flatMap((id) => all[id - 1] ?? []);
  }

  async decide(_projectId: number, decisions: DecisionInput[]): Promise<DecisionsResponse> {
    const loseResponse = await this.arrive();
    this.requests.push(decisions.map(({ key }) => key));
    if (decisions.some((one) => (one.decision === "other") !== (one.class_id != null)))
      throw new ApiError(422, { code: "malformed", detail: "a class goes with another label" });
    const results = decisions.map((one) => this.#take(one));
    if (loseResponse) throw new NetworkError();
    return { classes_version: 1, results, review: this.#review() };
  }

  /** A colleague decides first. */
  takeAway(id: number): void {
    this.theirs.add(id);
    this.decided.set(id, "keep");
  }

  #take(one: DecisionInput): DecisionResult {
    const known = this.#results.get(one.key);
    if (known) return { ...known, status: "duplicate" };
    const base = { key: one.key, annotation_id: null, code: null, detail: null };
    if (this.unknown.has(one.suggestion_id))
      return { ...base, status: "rejected", code: "unknown_suggestion", detail: "not known" };
    this.taken.push(one);
    const late = this.theirs.has(one.suggestion_id);
    if (!late) {
      // Set anew, so that the latest comes last.
      this.decided.delete(one.suggestion_id);
      this.decided.set(one.suggestion_id, one.decision);
      if (one.class_id != null) this.named.set(one.suggestion_id, one.class_id);
    }
    const status = late ? "late" : "accepted";
    const result = { ...base, status, annotation_id: this.taken.length } as const;
    this.#results.set(one.key, result);
    return result;
  }

  #all(): Suggestion[] {
    return Array.from({ length: this.size }, (_, index) => ({
      id: index + 1,
      example_id: 100 + index,
      rank: index,
      image_url: `/images/${index}`,
      width: 8,
      height: 8,
      name: `${index}.png`,
      excerpt: null,
      members: null,
      given_class_id: 1,
      given_label: labelOf(1),
      suggested_class_id: 2,
      suggested_label: labelOf(2),
      votes: [],
      note: null,
      notes: [],
      confidence: 0.9,
      quality: null,
      alike: null,
      decision: this.decided.get(index + 1) ?? null,
      decided_class_id: this.#classOf(index + 1),
      decided_label: labelOf(this.#classOf(index + 1)),
    }));
  }

  /** The class that a decision amounts to. */
  #classOf(id: number): number | null {
    const classes = {
      keep: 1,
      accept: 2,
      other: this.named.get(id) ?? null,
      ood: null,
      unsure: null,
    };
    const decision = this.decided.get(id);
    return decision ? classes[decision] : null;
  }

  #review(): Review {
    const open = this.size - this.decided.size;
    const decided = { keep: 0, accept: 0, other: 0, ood: 0, unsure: 0 };
    return { job_id: this.jobId, created_at: "", total: this.size, open, decided };
  }
}
