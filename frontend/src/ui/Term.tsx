import type { ReactNode } from "react";
import { t } from "../strings";
import styles from "./Term.module.css";

const all = { ...t.glossary.words, ...t.glossary.terms };

export type Word = keyof typeof all;

type TermProps = { of: Word; children?: ReactNode } | { text: string; children: ReactNode };

/** A word of the glossary as a page uses it, or another, with what it means behind a hover. */
export function Term(props: TermProps) {
  const { word, text } = "of" in props ? all[props.of] : { word: null, text: props.text };
  return (
    <abbr className={styles.term} title={text}>
      {props.children ?? word}
    </abbr>
  );
}
