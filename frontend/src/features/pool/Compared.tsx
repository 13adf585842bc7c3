import type { Filters } from "../../api/types";
import { Thumbnail } from "../../media/Thumbnail";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import styles from "./Compared.module.css";
import { comparedWith } from "./filters";

const MOST_SHOWN = 6;

type ComparedProps = {
  filters: Filters;
  /** What is looked for, where that is words. */
  words: string;
  onOpen: (id: number) => void;
  onEnd: () => void;
};

/** What the images below are compared with, and the way back to all. */
export function Compared({ filters, words, onOpen, onEnd }: ComparedProps) {
  const ids = comparedWith(filters);
  return (
    <section className={styles.compared} aria-label={t.alike.title}>
      <strong>{words ? t.alike.words.title : t.alike.title}</strong>
      {filters.similar_file != null && (
        <span className={styles.file}>{words || t.alike.toFile}</span>
      )}
      {ids.slice(0, MOST_SHOWN).map((id) => (
        <button
          key={id}
          type="button"
          aria-label={`${t.pool.detail.title} ${id}`}
          onClick={() => onOpen(id)}
        >
          <Thumbnail example={{ id }} alt="" />
        </button>
      ))}
      {ids.length > MOST_SHOWN && <span>{t.alike.more(ids.length - MOST_SHOWN)}</span>}
      <Button size="small" onClick={onEnd}>
        {t.alike.end}
      </Button>
    </section>
  );
}
