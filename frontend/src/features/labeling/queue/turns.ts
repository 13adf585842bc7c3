/** In which order items got the verdicts they have; those of earlier visits came first. */
export class Turns {
  readonly #of = new Map<number, number>();
  #last = 0;

  /** An item got a verdict just now. */
  took(id: number): void {
    this.#last += 1;
    this.#of.set(id, this.#last);
  }

  /** Items got their verdicts, in this order, before any that was given on this visit. */
  tookEarlier(ids: readonly number[]): void {
    for (const [at, id] of ids.entries()) this.#of.set(id, at - ids.length);
  }

  /** Items in that order. */
  sorted<Item>(items: readonly Item[], idOf: (item: Item) => number): Item[] {
    const turnOf = (item: Item) => this.#of.get(idOf(item)) ?? 0;
    return [...items].sort((a, b) => turnOf(a) - turnOf(b));
  }
}
