import type { ReactNode } from "react";
import { imageUrl } from "../api/images";
import styles from "./Gallery.module.css";

export type GalleryImage = {
  id: number;
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
      {images.map(({ id, text, title = text, caption, wrong }) => (
        <li key={id} data-wrong={wrong || undefined}>
          <img src={imageUrl(id)} alt={text} title={title} loading="lazy" />
          {caption}
        </li>
      ))}
    </ul>
  );
}
