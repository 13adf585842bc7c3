import type { LabelingApi } from "../../../api/labeling";
import type { LabelStatus, Verdict } from "../../../api/types";
import type { RichLabel } from "../../../tasks/choice";
import { draftName } from "../../../tasks/drafts";
import { fromLease, givenBefore, idOf, toStored } from "./entries";
import { Holding, type HoldingDependencies } from "./holding";
import type { Entry, Given } from "./model";
import type { Clock, Leased, QueueView } from "./pace";
import type { AnswerSender } from "./sender";
import { uuid } from "./uuid";
import { WorkQueue } from "./workQueue";

export const LEASE_SIZE = 16;
/** How many verdicts a reload brings back. */
const RESTORED = 10;
/** How many of earlier ones, of which a reviewer has written. */
const REVIEWED = 5;

const PACE = { refillAt: 8, reachable: 50, waitMs: 2_500, catchUpMs: 300 };

type Extra = {
  status: LabelStatus | null;
  /** Whether there is nothing here because another tab of mine holds it. */
  elsewhere: boolean;
  /** My own answers to this project, those of this visit included. */
  mine: { today: number; total: number } | null;
};

export type SessionView = QueueView<Entry> & Extra;

type Dependencies = Clock &
  HoldingDependencies & {
    userId: number;
    api: Pick<LabelingApi, "recent" | "status">;
    sender: AnswerSender;
  };

/** One annotator's place in the queue of one project. */
export class LabelSession extends WorkQueue<Entry, Extra> {
  readonly #deps: Dependencies;
  readonly #holding: Holding;
  #unlisten: (() => void)[] = [];

  constructor(dependencies: Dependencies) {
    super(PACE, dependencies, { status: null, elsewhere: false, mine: null });
    this.#deps = dependencies;
    this.#holding = new Holding(dependencies);
  }

  override start(): void {
    const { sender } = this.#deps;
    this.#unlisten = [
      sender.onResponse((sent) => {
        if (sent.kind !== "answer" || sent.projectId !== this.#deps.projectId) return;
        this.hear({ status: sent.response.status });
      }),
      sender.subscribe(() => this.#withdraw(sender.getView().rejected.map(({ key }) => key))),
    ];
    super.start();
    void this.#loadCounts();
  }

  override stop(): void {
    for (const unlisten of this.#unlisten) unlisten();
    super.stop();
  }

  /** Go on here with what another tab of mine holds. */
  readonly takeOver = (): void => {
    this.#holding.takeOver();
    this.wake();
  };

  /** Judge the current image by the classes that were shown; see `give`. */
  answer(
    verdict: Verdict,
    classId: number | null = null,
    classesVersion?: number,
    label?: RichLabel | null,
  ): Promise<boolean> {
    const { sender, stopwatch, projectId, userId } = this.#deps;
    return this.give(async (current) => {
      const shown = classesVersion === undefined ? {} : { classesVersion };
      const rich = label ? { label } : {};
      const note = this.noteOn(current, current.given?.note);
      const given: Given = { key: uuid(), verdict, classId, ...rich, ...shown, note };
      await sender.add(toStored(current, given, { projectId, userId }, stopwatch.seconds()));
      if (!current.given) this.#count(1);
      return { ...current, given };
    });
  }

  protected idOf(entry: Entry): number {
    return idOf(entry);
  }

  protected draftOf(entry: Entry): string {
    return draftName(this.#deps.userId, idOf(entry));
  }

  protected isGiven(entry: Entry): boolean {
    return entry.given !== null;
  }

  protected async unsent(): Promise<number[]> {
    const answers = await this.#deps.sender.answersOf(this.#deps.projectId);
    return answers.map((answer) => answer.subject.query_id);
  }

  protected async lease(): Promise<Leased<Entry, Extra>> {
    const lease = await this.#holding.lease(LEASE_SIZE, false);
    return {
      items: lease.items.map((item) => fromLease(item, lease.lease_token)),
      expiresAt: lease.expires_at ? Date.parse(lease.expires_at) : 0,
      said: { status: lease.status, elsewhere: lease.held_elsewhere },
    };
  }

  protected async earlier(): Promise<Entry[]> {
    const { api, sender, projectId } = this.#deps;
    const unsent = await sender.answersOf(projectId);
    const [latest, reviewed] = await Promise.all([
      api.recent(projectId, RESTORED).catch(() => []),
      api.recent(projectId, REVIEWED, true).catch(() => []),
    ]);
    const known = new Set(latest.map((one) => one.query_id));
    const others = reviewed.filter((one) => !known.has(one.query_id));
    return givenBefore([...latest, ...others], unsent);
  }

  /** What is worked at stays with who works at it. */
  #kept(): number[] {
    return this.inHand()
      .filter((entry) => !this.isGiven(entry))
      .map(idOf);
  }

  protected giveBack(): void {
    this.#holding.release(0, this.#kept());
  }

  protected end(): void {
    this.#holding.end(this.#kept());
  }

  /** What the server refused is no verdict to go back to: the image comes up again. */
  #withdraw(keys: string[]): void {
    const refused = new Set(keys);
    const gone = this.getView().history.filter(({ given }) => given && refused.has(given.key));
    if (gone.length === 0) return;
    this.forget(new Set(gone.map(idOf)));
    this.#count(-gone.length);
    this.wake();
  }

  #count(answers: number): void {
    const { mine } = this.getView();
    if (mine) this.set({ mine: { today: mine.today + answers, total: mine.total + answers } });
  }

  /** Without them the page shows none. */
  async #loadCounts(): Promise<void> {
    const { api, sender, projectId } = this.#deps;
    const unsent = await sender.answersOf(projectId);
    const mine = await api.status(projectId).then(
      (status) => status.mine,
      () => null,
    );
    this.set({ mine });
    this.#count(unsent.filter((answer) => !answer.supersedes).length);
  }
}
