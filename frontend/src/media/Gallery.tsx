import type { ReactNode } from "react";
import styles from "./Gallery.module.css";
import { Thumbnail } from "./Thumbnail";

export type GalleryImage = {
  id: number;
  /** How a text begins, where that is known. */
  excerpt?: string | null;
  /** What there is to know of it, for who does not see it. */
  text: string;
  /** Shown on hover; the text, if there is none. */
  title?: string;
  caption: ReactNode;
  /** Whether its label is not the true one. */
  wrong?: boolean;
};

type GalleryProps = {
  images: GalleryImage[];
  /** Room for several lines of words and numbers under each. */
  wide?: boolean;
};

/** Small images side by side, with a few words each. */
export function Gallery({ images, wide }: GalleryProps) {
  return (
    <ul className={styles.gallery} data-wide={wide || undefined}>
      {images.map(({ id, text, title = text, excerpt, caption, wrong }) => (
        <li key={id} data-wrong={wrong || undefined}>
          <Thumbnail
            example={{ id, excerpt: excerpt ?? null }}
            alt={text}
            title={title}
            loading="lazy"
          />
          {caption}
        </li>
      ))}
    </ul>
  );
}
