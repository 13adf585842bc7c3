import styles from "./Text.module.css";
import { partsOf, type Sought } from "./words";

/** A text, with the words that were looked for marked. It is never more than text: no links, no markup. */
export function Marked({
  text,
  words = [],
}: {
  text: string;
  words?: readonly Sought[] | undefined;
}) {
  if (words.length === 0) return text;
  return partsOf(text, words).map((part) =>
    part.isMarked ? (
      <mark key={part.at} className={styles.mark}>
        {part.text}
      </mark>
    ) : (
      part.text
    ),
  );
}
