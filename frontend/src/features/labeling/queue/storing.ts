/** One verdict is stored at a time, and where somebody wants to go meanwhile waits for that. */
export class Storing {
  #busy = false;
  #going: (() => boolean)[] = [];

  get busy(): boolean {
    return this.#busy;
  }

  /** Store a verdict; nobody else may be at it. */
  async store(work: () => Promise<void>): Promise<void> {
    this.#busy = true;
    let waiting: (() => boolean)[] = [];
    try {
      await work();
      waiting = this.#going;
    } finally {
      this.#busy = false;
      this.#going = [];
    }
    for (const there of waiting) there();
  }

  /** Go now, or as soon as the verdict is stored, one step after the other; nowhere if it is not. */
  go(there: () => boolean): boolean {
    if (!this.#busy) return there();
    this.#going.push(there);
    return true;
  }
}
