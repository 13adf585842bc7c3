import type { Ahead, Content } from "../spec";

type Prepared = { image: HTMLImageElement; state: "loading" | "ready" | "failed" };

/** How many of the next images are decoded ahead; further ones are only downloaded. */
const DECODED_AHEAD = 5;

/** Holds the images around the annotator's place, downloaded and decoded before they are needed. */
export class ImageAhead implements Ahead {
  readonly #urlOf: (example: Content) => string;
  readonly #images = new Map<string, Prepared>();
  readonly #listeners = new Set<() => void>();
  #version = 0;

  constructor(urlOf: (example: Content) => string) {
    this.#urlOf = urlOf;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Changes whenever an image has become ready or has failed. */
  readonly getVersion = (): number => this.#version;

  /** Keep exactly these images, the most urgent first. */
  keep(examples: readonly Content[]): void {
    const urls = examples.map(this.#urlOf);
    const wanted = new Set(urls);
    for (const url of this.#images.keys()) if (!wanted.has(url)) this.#images.delete(url);
    urls.forEach((url, index) => {
      const prepared = this.#images.get(url) ?? this.#download(url);
      if (index < DECODED_AHEAD) this.#decode(prepared);
    });
  }

  get(example: Content): Prepared | undefined {
    return this.#images.get(this.#urlOf(example));
  }

  retry(example: Content): void {
    this.#decode(this.#download(this.#urlOf(example)));
    this.#changed();
  }

  #download(url: string): Prepared {
    const image = new Image();
    image.decoding = "sync";
    image.draggable = false;
    image.src = url;
    const prepared: Prepared = { image, state: "loading" };
    this.#images.set(url, prepared);
    return prepared;
  }

  readonly #decoding = new WeakSet<Prepared>();

  #decode(prepared: Prepared): void {
    if (this.#decoding.has(prepared)) return;
    this.#decoding.add(prepared);
    const settle = (state: "ready" | "failed") => {
      prepared.state = state;
      this.#changed();
    };
    prepared.image.decode().then(
      () => settle("ready"),
      () => settle("failed"),
    );
  }

  #changed(): void {
    this.#version += 1;
    for (const listener of this.#listeners) listener();
  }
}
