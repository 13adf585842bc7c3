import { AroundPlace } from "../AroundPlace";
import type { Ahead, Content } from "../spec";

type Prepared = { image: HTMLImageElement; state: "loading" | "ready" | "failed" };

/** How many of the next images are decoded ahead; further ones are only downloaded. */
const DECODED_AHEAD = 5;

/** Holds the images around the annotator's place, downloaded and decoded before they are needed. */
export class ImageAhead extends AroundPlace<Prepared> implements Ahead {
  readonly #urlOf: (example: Content) => string;

  constructor(urlOf: (example: Content) => string) {
    super();
    this.#urlOf = urlOf;
  }

  /** Keep exactly these images, the most urgent first. */
  keep(examples: readonly Content[]): void {
    const urls = examples.map(this.#urlOf);
    this.dropAllBut(new Set(urls));
    this.turnTo(urls[0]);
    urls.forEach((url, index) => {
      const prepared = this.held.get(url) ?? this.#download(url);
      if (index < DECODED_AHEAD) this.#decode(prepared);
    });
  }

  get(example: Content): Prepared | undefined {
    return this.held.get(this.#urlOf(example));
  }

  retry(example: Content): void {
    this.#decode(this.#download(this.#urlOf(example)));
    this.changed();
  }

  #download(url: string): Prepared {
    const image = new Image();
    image.decoding = "sync";
    image.draggable = false;
    image.src = url;
    const prepared: Prepared = { image, state: "loading" };
    this.held.set(url, prepared);
    return prepared;
  }

  readonly #decoding = new WeakSet<Prepared>();

  #decode(prepared: Prepared): void {
    if (this.#decoding.has(prepared)) return;
    this.#decoding.add(prepared);
    const settle = (state: "ready" | "failed") => {
      prepared.state = state;
      this.changed();
    };
    prepared.image.decode().then(
      () => settle("ready"),
      () => settle("failed"),
    );
  }
}
