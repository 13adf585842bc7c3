/** One verdict is stored at a time, and where somebody wants to go meanwhile waits for that. */
export class Storing {
  #busy = false;
  #going: (() => boolean) | null = null;

  get busy(): boolean {
    return this.#busy;
  }

  /** Store a verdict; nobody else may be at it. */
  async store(work: () => Promise<void>): Promise<void> {
    this.#busy = true;
    try {
      await work();
    } finally {
      this.#busy = false;
      this.#going?.();
      this.#going = null;
    }
  }

  /** Go now, or as soon as the verdict is stored; of several places, to the last. */
  go(there: () => boolean): boolean {
    if (!this.#busy) return there();
    this.#going = there;
    return true;
  }
}
