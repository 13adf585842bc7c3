import type { ReactNode } from "react";
import { t } from "../strings";
import styles from "./Term.module.css";

const all = { ...t.glossary.words, ...t.glossary.terms };

export type Word = keyof typeof all;

type TermProps = { of: Word; children?: ReactNode };

/** A word of the glossary as a page uses it, with what it means behind a hover. */
export function Term({ of, children }: TermProps) {
  return (
    <abbr className={styles.term} title={all[of].text}>
      {children ?? all[of].word}
    </abbr>
  );
}
