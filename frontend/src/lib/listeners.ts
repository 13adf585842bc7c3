/** Who wants to be told of something, in the order in which they came. */
export class Listeners<Told extends unknown[] = []> {
  readonly #all = new Set<(...told: Told) => void>();

  get size(): number {
    return this.#all.size;
  }

  /** Be told from now on; returns what ends it. */
  readonly subscribe = (listener: (...told: Told) => void): (() => void) => {
    this.#all.add(listener);
    return () => void this.#all.delete(listener);
  };

  /** Tell all; neither who comes meanwhile, nor who has gone. */
  tell(...told: Told): void {
    for (const listener of [...this.#all]) if (this.#all.has(listener)) listener(...told);
  }
}
