import { fetchText, toldWhole } from "../../api/texts";
import type { Ahead, Content } from "../spec";

type Prepared = { text: string; state: "loading" | "ready" | "failed" };

/** Holds the texts around the annotator's place. Most come with the queue; long ones are got before they are needed. */
export class TextAhead implements Ahead {
  readonly #texts = new Map<string, Prepared>();
  readonly #listeners = new Set<() => void>();
  #version = 0;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly getVersion = (): number => this.#version;

  keep(examples: readonly Content[]): void {
    const long = examples.filter((example) => toldWhole(example) === null);
    const wanted = new Set(long.map(({ image_url }) => image_url));
    for (const url of this.#texts.keys()) if (!wanted.has(url)) this.#texts.delete(url);
    for (const url of wanted) if (!this.#texts.has(url)) void this.#get(url);
  }

  get(example: Content): Prepared | undefined {
    const text = toldWhole(example);
    return text === null ? this.#texts.get(example.image_url) : { text, state: "ready" };
  }

  retry({ image_url }: Content): void {
    void this.#get(image_url);
    this.#changed();
  }

  async #get(url: string): Promise<void> {
    const prepared: Prepared = { text: "", state: "loading" };
    this.#texts.set(url, prepared);
    try {
      prepared.text = await fetchText(url);
      prepared.state = "ready";
    } catch {
      prepared.state = "failed";
    }
    this.#changed();
  }

  #changed(): void {
    this.#version += 1;
    for (const listener of this.#listeners) listener();
  }
}
