import { ApiError, NetworkError } from "../api/errors";
import type { LabelingApi, Leasing } from "../api/labeling";
import { labelOf } from "../api/labels";
import type { DecideApi } from "../api/reviews";
import type {
  Answer,
  AnswerResult,
  DecisionInput,
  LabelStatus,
  Lease,
  LeaseItem,
  ReviewedJob,
  SubmitResponse,
} from "../api/types";
import { FakeReview } from "./fakeReview";

type Fault =
  | "refuse-connection"
  | "lose-response"
  | "repeat"
  | "signed-out"
  | "paused"
  | "proxy"
  | "malformed";

type Prediction = Partial<Pick<LeaseItem, "predicted_class_id" | "probability" | "in_probability">>;

/** A labeling server in memory, with faults on order. */
export class FakeServer implements LabelingApi, DecideApi {
  /** The reviews, by job. */
  readonly reviews = new Map<ReviewedJob, FakeReview>();
  /** Every answer as it was first taken, in order. */
  readonly taken: Answer[] = [];
  /** Every key as it came in, with repetitions. */
  readonly received: string[] = [];
  readonly faults: Fault[] = [];
  readonly rejectedQueries = new Set<number>();
  readonly malformedQueries = new Set<number>();
  /** Queries that others hold or have answered. */
  readonly elsewhere = new Set<number>();
  /** Queries that other tabs of the same person hold, by the name of the tab. */
  readonly inTabs = new Map<number, string>();
  readonly released: string[] = [];
  /** What each release left with its tab. */
  readonly kept: (readonly number[])[] = [];
  waitingFor: LabelStatus["waiting_for"] = "training";
  signedOut = false;
  /** What the signed-in person has to do first, as a code. */
  unsettled: string | null = null;
  classesVersion = 1;
  delayMs = 0;
  leaseMs = 600_000;
  leases = 0;
  now: () => number = () => Date.now();
  /** What the model takes each query for. */
  predictions: (queryId: number) => Prediction = () => ({});
  readonly #results = new Map<string, AnswerResult>();
  readonly #answered = new Set<number>();
  #size: number;

  constructor(size: number) {
    this.#size = size;
  }

  publish(count: number): void {
    this.#size += count;
  }

  async lease(_projectId: number, n: number, _client: string, how: Leasing): Promise<Lease> {
    await this.#arrive();
    this.leases += 1;
    for (const [id, tab] of this.inTabs)
      if (how.openClients?.includes(tab) === false) this.inTabs.delete(id);
    const items = [];
    for (let id = 1; id <= this.#size && items.length < n; id += 1) {
      if (this.#answered.has(id) || this.elsewhere.has(id) || this.inTabs.has(id)) continue;
      items.push({
        query_id: id,
        example_id: 1000 + id,
        rank: id,
        round: 0,
        image_url: `/images/${id}`,
        width: 8,
        height: 8,
        name: `${id}.png`,
        excerpt: null,
        text: null,
        predicted_class_id: null,
        probability: null,
        in_probability: null,
        duplicates_of: null,
        fields: [],
        proposals: null,
        suggested: null,
        proposed_by: null,
        members: null,
        ...this.predictions(id),
      });
    }
    const expires_at = new Date(this.now() + this.leaseMs).toISOString();
    const held_elsewhere = items.length === 0 && this.inTabs.size > 0;
    const lease_token = `token-${this.leases}`;
    return { lease_token, expires_at, items, held_elsewhere, status: this.#status() };
  }

  async submit(_projectId: number, answers: Answer[]): Promise<SubmitResponse> {
    const fault = await this.#arrive();
    for (const answer of answers) {
      if (this.malformedQueries.has(answer.query_id)) {
        throw new ApiError(422, { code: "malformed", detail: "no such class" });
      }
    }
    const first = answers.map((answer) => this.#take(answer));
    // A proxy that sends a request again passes on what the second one got.
    const results = fault === "repeat" ? answers.map((answer) => this.#take(answer)) : first;
    if (fault === "lose-response") throw new NetworkError();
    return { results, status: this.#status() };
  }

  openReview(jobId: ReviewedJob, size: number): FakeReview {
    const review = new FakeReview(
      jobId,
      size,
      async () => (await this.#arrive()) === "lose-response",
      () => this.now() + this.leaseMs,
    );
    this.reviews.set(jobId, review);
    return review;
  }

  async decide(projectId: number, jobId: ReviewedJob, decisions: DecisionInput[]) {
    const review = this.reviews.get(jobId);
    if (!review) throw new ApiError(404, { code: "not_found", detail: "no such review" });
    return review.decide(projectId, decisions);
  }

  async status(): Promise<LabelStatus> {
    await this.#arrive();
    const count = this.taken.filter((answer) => !answer.supersedes).length;
    return { ...this.#status(), mine: { today: count, total: count, round: count } };
  }

  async recent() {
    const corrected = new Set(this.taken.map((answer) => answer.supersedes));
    return this.taken
      .filter((answer) => !corrected.has(answer.key))
      .slice(-10)
      .reverse()
      .map((answer) => ({
        key: answer.key,
        query_id: answer.query_id,
        example_id: 1000 + answer.query_id,
        image_url: `/images/${answer.query_id}`,
        width: 32,
        height: 32,
        name: `${answer.query_id}.png`,
        fields: [],
        excerpt: null,
        verdict: answer.verdict,
        class_id: answer.class_id ?? null,
        label: answer.label ?? labelOf(answer.class_id),
        proposals: null,
        members: null,
        note: answer.note ?? null,
        reviewer_note: null,
        created_at: new Date(0).toISOString(),
      }));
  }

  async release(
    _projectId: number,
    client: string,
    _afterSeconds = 0,
    keep: readonly number[] = [],
  ): Promise<void> {
    this.released.push(client);
    this.kept.push(keep);
  }

  async #arrive(): Promise<Fault | undefined> {
    if (this.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, this.delayMs));
    const fault = this.faults.shift();
    if (fault === "refuse-connection") throw new NetworkError();
    if (fault === "paused") throw new ApiError(409, { code: "project_not_running" });
    if (fault === "signed-out" || this.signedOut) {
      throw new ApiError(401, { code: "unauthenticated" });
    }
    if (this.unsettled) throw new ApiError(403, { code: this.unsettled });
    // Not from here, and so without a code.
    if (fault === "proxy") throw new ApiError(404, {});
    return fault;
  }

  #take(answer: Answer): AnswerResult {
    this.received.push(answer.key);
    const known = this.#results.get(answer.key);
    if (known) return { ...known, status: "duplicate" };
    const result = this.#judge(answer);
    this.#results.set(answer.key, result);
    return result;
  }

  #judge(answer: Answer): AnswerResult {
    const base = { key: answer.key, round: 0, code: null, detail: null };
    if (this.rejectedQueries.has(answer.query_id)) {
      const code = "unknown_query";
      return { ...base, status: "rejected", annotation_id: null, counted: false, code };
    }
    this.taken.push(answer);
    this.#answered.add(answer.query_id);
    const late = this.elsewhere.has(answer.query_id);
    const annotation_id = this.taken.length;
    return { ...base, status: late ? "late" : "accepted", annotation_id, counted: !late };
  }

  #status(): LabelStatus {
    return {
      classes_version: this.classesVersion,
      project_state: "running",
      round: { number: 0, state: "open", spent: this.taken.length, budget: 100 },
      waiting_for: this.#answered.size >= this.#size ? this.waitingFor : "nothing",
      mine: null,
      remaining: this.#size - this.#answered.size,
    };
  }
}
