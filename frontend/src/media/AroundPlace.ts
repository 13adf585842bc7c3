import { Listeners } from "../lib/listeners";
import type { Prepared } from "./spec";

/** What is held of the examples around a place, by address, and who is told when it changes. */
export class AroundPlace<Held extends Prepared> {
  protected readonly held = new Map<string, Held>();
  readonly #listeners = new Listeners();
  #version = 0;
  /** The one whose turn it is. */
  #first: string | undefined;

  readonly subscribe = this.#listeners.subscribe;

  /** Changes whenever something has become ready or has failed. */
  readonly getVersion = (): number => this.#version;

  /** Hold none but those that are wanted. */
  protected dropAllBut(wanted: ReadonlySet<string>): void {
    for (const url of this.held.keys()) if (!wanted.has(url)) this.held.delete(url);
  }

  /** What failed while it was only ahead, as without a network, is asked for again at its turn. */
  protected turnTo(url: string | undefined): void {
    if (url === this.#first) return;
    this.#first = url;
    if (url !== undefined && this.held.get(url)?.state === "failed") this.held.delete(url);
  }

  protected changed(): void {
    this.#version += 1;
    this.#listeners.tell();
  }
}
