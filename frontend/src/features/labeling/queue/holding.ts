import type { LabelingApi } from "../../../api/labeling";
import type { Lease } from "../../../api/types";

export type HoldingDependencies = {
  projectId: number;
  /** The name under which this tab holds leases. */
  client: string;
  /** The names of the tabs that are open in this browser; null if it does not tell. */
  openTabs: () => Promise<string[] | null>;
  api: Pick<LabelingApi, "lease" | "release">;
};

/** Who works under a name. The server tells apart names only, so what one gave back another would lose. */
const working = new Map<string, Holding>();

/**
 * What this tab holds of a project's queue.
 *
 * The first lease takes what the same person holds in a browser that was killed, or on a device that they
 * left: those cannot give it back. It does so only where the browser tells which tabs are open. Later ones
 * leave every tab what it has, so that two never fight.
 *
 * Whoever comes back to the page in this tab has the same name and goes on with what it holds: from then
 * on this one gives nothing back.
 */
export class Holding {
  readonly #deps: HoldingDependencies;
  /** Which tabs the next lease spares; null if it spares all. */
  #spared: (() => Promise<string[] | null>) | null;
  readonly #name: string;
  #ended = false;
  /** What goes on being held when nobody works here any more. */
  #kept: readonly number[] = [];

  constructor(dependencies: HoldingDependencies) {
    this.#deps = dependencies;
    this.#spared = dependencies.openTabs;
    this.#name = `${dependencies.projectId} ${dependencies.client}`;
    working.set(this.#name, this);
  }

  /** Take items, or go on with those that this tab holds; fails once nobody works here any more. */
  async lease(n: number, grouped: boolean): Promise<Lease> {
    const { api, projectId, client } = this.#deps;
    const spared = this.#spared;
    const openClients = spared && (await spared());
    if (this.#ended) throw new Error("Nobody works here any more.");
    const lease = await api.lease(projectId, n, client, { grouped, openClients });
    if (this.#spared === spared) this.#spared = null;
    // It was on its way when nobody worked here any more.
    if (this.#ended) this.release(0, this.#kept);
    return lease;
  }

  /** Let the next lease take what the same person holds anywhere, in open tabs too. */
  takeOver(): void {
    this.#spared = async () => [];
  }

  /** Let others have what this tab holds, now or in some seconds, except what is `kept`. */
  release(afterSeconds = 0, kept: readonly number[] = []): void {
    const worker = working.get(this.#name);
    if (worker && worker !== this) return;
    const { api, projectId, client } = this.#deps;
    api.release(projectId, client, afterSeconds, kept).catch(() => {});
  }

  /** Nobody works here any more: let others have what this tab holds, and what is still on its way. */
  end(kept: readonly number[] = []): void {
    this.#ended = true;
    this.#kept = kept;
    this.release(0, kept);
    if (working.get(this.#name) === this) working.delete(this.#name);
  }
}
