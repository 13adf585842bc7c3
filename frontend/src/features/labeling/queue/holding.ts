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

/**
 * What this tab holds of a project's queue.
 *
 * The first lease takes what the same person holds in a browser that was killed, or on a device that they
 * left: those cannot give it back. It does so only where the browser tells which tabs are open. Later ones
 * leave every tab what it has, so that two never fight.
 */
export class Holding {
  readonly #deps: HoldingDependencies;
  /** Which tabs the next lease spares; null if it spares all. */
  #spared: (() => Promise<string[] | null>) | null;

  constructor(dependencies: HoldingDependencies) {
    this.#deps = dependencies;
    this.#spared = dependencies.openTabs;
  }

  async lease(n: number, grouped: boolean): Promise<Lease> {
    const { api, projectId, client } = this.#deps;
    const spared = this.#spared;
    const openClients = spared && (await spared());
    const lease = await api.lease(projectId, n, client, { grouped, openClients });
    if (this.#spared === spared) this.#spared = null;
    return lease;
  }

  /** Let the next lease take what the same person holds anywhere, in open tabs too. */
  takeOver(): void {
    this.#spared = async () => [];
  }

  /** Let others have what this tab holds, now or in some seconds. */
  release(afterSeconds = 0): void {
    const { api, projectId, client } = this.#deps;
    api.release(projectId, client, afterSeconds).catch(() => {});
  }
}
