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

  of(id: number): number {
    return this.#of.get(id) ?? 0;
  }
}
