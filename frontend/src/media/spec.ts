import type { ComponentProps, ComponentType } from "react";
import type { Sought } from "./text/words";

/** An example, as much as any page knows of it. What has no size is a text. */
export type Small = {
  id: number;
  /** Where it is itself; made from the id where a page was not told. */
  image_url?: string;
  width?: number | null;
  height?: number | null;
  name?: string;
  /** How a text begins. */
  excerpt?: string | null;
};

/** An example to look at: where it is, and how large or long. */
export type Content = {
  example_id: number;
  image_url: string;
  width: number | null;
  height: number | null;
  name: string;
  excerpt?: string | null;
  /** All of a text, where it is short enough to come along. */
  text?: string | null;
};

/** An example to judge. */
export type Subject = Content & { query_id: number };

/** What was got for an example before it is needed. */
export type Prepared = { state: "loading" | "ready" | "failed" } & (
  | { image: HTMLImageElement }
  | { text: string }
);

/** Holds what is around the annotator's place, got before it is needed. */
export interface Ahead {
  readonly subscribe: (listener: () => void) => () => void;
  /** Changes whenever something has become ready or has failed. */
  readonly getVersion: () => number;
  /** Keep exactly these, the most urgent first. */
  keep(examples: readonly Content[]): void;
  get(example: Content): Prepared | undefined;
  retry(example: Content): void;
}

export type StageProps = {
  subject: Subject;
  ahead: Ahead;
  /** Whether it is drawn the other way: small images smoothly, texts in letters of one width. */
  alternate: boolean;
  onAlternate: (alternate: boolean) => void;
  /** Whether something lies over it, which has the keys meanwhile. */
  covered?: boolean;
  /** Called when it can be seen. */
  onShown: () => void;
};

type Img = Pick<
  ComponentProps<"img">,
  "alt" | "title" | "loading" | "decoding" | "draggable" | "width" | "height"
>;

export type ThumbnailProps = Img & {
  example: Small;
  /** Of an image: the longer side of the version that is shown. */
  size?: 64 | 128 | 256 | 512;
  /** Images up to this side are shown themselves. */
  itselfUpTo?: number;
  /** Up to this side an image's pixels are shown; "tiny": those that would be blurs, once they are there. */
  crispUpTo?: number | "tiny";
  /** Of a text: words to mark. */
  marked?: readonly Sought[];
  /** Told when it can be seen, or cannot be got. Always the same function. */
  onState?: (state: "ready" | "failed") => void;
};

export type WholeProps = Img & {
  content: Content;
  crispUpTo?: number;
  /** Of a text: words to mark. */
  marked?: readonly Sought[];
};

/** How examples of one medium look. Pages know no pictures and no texts themselves. */
export type MediumView = {
  /** One example, as large as there is room, to judge it. */
  Stage: ComponentType<StageProps>;
  /** A small version. */
  Thumbnail: ComponentType<ThumbnailProps>;
  /** All of it, beside other things. */
  Whole: ComponentType<WholeProps>;
  /** Of what is shown on a stage, or of many small ones. */
  openAhead: (of: "stage" | "small") => Ahead;
};
