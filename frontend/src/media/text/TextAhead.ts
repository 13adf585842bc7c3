import { fetchText, toldWhole } from "../../api/texts";
import { AroundPlace } from "../AroundPlace";
import type { Ahead, Content } from "../spec";

type Prepared = { text: string; state: "loading" | "ready" | "failed" };

/** What is under way at a time, so that verdicts and the next text need not wait behind many. */
const AT_ONCE = 2;

/** Holds the texts around the annotator's place. Most come with the queue; long ones are got before they are needed. */
export class TextAhead extends AroundPlace<Prepared> implements Ahead {
  /** Where the long ones are that are to be held, the most urgent first. */
  #wanted: string[] = [];
  #underWay = 0;

  keep(examples: readonly Content[]): void {
    const long = examples.filter((example) => toldWhole(example) === null);
    const wanted = new Set(long.map(({ image_url }) => image_url));
    this.dropAllBut(wanted);
    this.turnTo(examples[0]?.image_url);
    this.#wanted = [...wanted];
    this.#goOn();
  }

  get(example: Content): Prepared | undefined {
    const text = toldWhole(example);
    return text === null ? this.held.get(example.image_url) : { text, state: "ready" };
  }

  retry({ image_url }: Content): void {
    this.held.delete(image_url);
    this.#wanted = [image_url, ...this.#wanted.filter((url) => url !== image_url)];
    this.#goOn();
    this.changed();
  }

  #goOn(): void {
    for (const url of this.#wanted) {
      if (this.#underWay === AT_ONCE) return;
      if (!this.held.has(url)) void this.#get(url);
    }
  }

  async #get(url: string): Promise<void> {
    const prepared: Prepared = { text: "", state: "loading" };
    this.held.set(url, prepared);
    this.#underWay += 1;
    try {
      prepared.text = await fetchText(url);
      prepared.state = "ready";
    } catch {
      prepared.state = "failed";
    }
    this.#underWay -= 1;
    this.#goOn();
    this.changed();
  }
}
