import { Listeners } from "../../lib/listeners";
import { isMotionReduced } from "../../ui/motion";
import type { Point, Rect, Size, View } from "./geometry";
import { betweenViews, bounded, closeTo, fitted, inMiddle, panned, scales, zoomed } from "./view";

const MOVE_MS = 160;

/** A rectangle under the pointer's hand: a new box, or the chosen one on its way. */
export type Live = { kind: "new" | "chosen"; rect: Rect };

/** What is seen of the image and what the pointer is at; painted once a frame, however much happens. */
export class Scene {
  readonly image: Size;
  frame: Size = { width: 0, height: 0 };
  view: View = { k: 1, x: 0, y: 0 };
  live: Live | null = null;
  /** Where the pointer is, in pixels of the frame. */
  pointer: Point | null = null;
  /** What a click would choose. */
  hovered: string | null = null;
  readonly #listeners = new Listeners();
  #version = 0;
  #asked = 0;
  #moving = 0;
  #isWhole = true;

  constructor(image: Size) {
    this.image = image;
  }

  readonly subscribe = this.#listeners.subscribe;

  readonly getVersion = (): number => this.#version;

  /** Paint with the next frame. */
  readonly invalidate = (): void => {
    this.#asked ||= requestAnimationFrame(() => {
      this.#asked = 0;
      this.#version += 1;
      this.#listeners.tell();
    });
  };

  get percent(): number {
    const [least] = scales(this.image, this.frame);
    return Math.round((100 * this.view.k) / least);
  }

  get isEnlarged(): boolean {
    return !this.#isWhole;
  }

  /** The frame has another size: the whole image stays whole. */
  resize(frame: Size): void {
    this.frame = frame;
    this.#show(this.#isWhole ? fitted(this.image, frame) : bounded(this.view, this.image, frame));
  }

  zoom(factor: number, at?: Point): void {
    const middle = { x: this.frame.width / 2, y: this.frame.height / 2 };
    this.#show(zoomed(this.view, factor, at ?? middle, this.image, this.frame));
  }

  pan(by: Point): void {
    this.#show(panned(this.view, by, this.image, this.frame));
  }

  whole(): void {
    this.#moveTo(fitted(this.image, this.frame));
  }

  /** Look closely at a box. */
  close(rect: Rect): void {
    this.#moveTo(closeTo(rect, this.view, this.image, this.frame));
  }

  /** A box in the middle of what is seen. */
  middle(): Rect {
    return inMiddle(this.view, this.image, this.frame);
  }

  stop(): void {
    cancelAnimationFrame(this.#asked);
    cancelAnimationFrame(this.#moving);
    this.#asked = 0;
  }

  #show(view: View): void {
    cancelAnimationFrame(this.#moving);
    this.#set(view);
  }

  #set(view: View): void {
    this.view = view;
    const [least] = scales(this.image, this.frame);
    this.#isWhole = view.k <= least * 1.001;
    this.invalidate();
  }

  #moveTo(to: View): void {
    if (isMotionReduced()) {
      this.#show(to);
      return;
    }
    cancelAnimationFrame(this.#moving);
    const from = this.view;
    const start = performance.now();
    const step = (now: number) => {
      const part = Math.min(1, Math.max(0, (now - start) / MOVE_MS));
      const eased = 1 - (1 - part) ** 3;
      this.#set(betweenViews(from, to, eased, this.frame));
      if (part < 1) this.#moving = requestAnimationFrame(step);
    };
    this.#moving = requestAnimationFrame(step);
  }
}
