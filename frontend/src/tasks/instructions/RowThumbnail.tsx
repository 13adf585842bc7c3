import { Marked } from "../../media/text/Marked";
import text from "../../media/text/Text.module.css";
import type { Sought } from "../../media/text/words";
import type { Fields } from "./model";
import styles from "./Row.module.css";

type RowThumbnailProps = { fields: Fields; marked: readonly Sought[] };

/** No more of a text is laid out than any card could show. */
const MOST = 300;

const short = (whole: string): string => whole.trim().replace(/\s+/g, " ").slice(0, MOST);

/** A row on a card: what is asked first, then the answer. */
export function RowThumbnail({ fields, marked }: RowThumbnailProps) {
  const { instruction, input = "", responses } = fields;
  const asked = [instruction, input].filter(Boolean).map(short).join(" · ");
  return (
    <span className={text.card} data-excerpt="">
      <span className={`${text.excerpt} ${styles.asked}`} dir="auto">
        <Marked text={asked} words={marked} />
      </span>
      <span className={`${text.excerpt} ${styles.answer}`} dir="auto">
        <Marked text={short(responses[0] ?? "")} words={marked} />
      </span>
    </span>
  );
}
