import { useMemo } from "react";
import { isCode } from "../../media/text/code";
import { piecesOf } from "./pieces";
import styles from "./Row.module.css";
import type { Own } from "./shared";

type RowTextProps = {
  text: string;
  /** What it does not share with others; the rest is dimmed. */
  own?: Own | null | undefined;
  /** Whether all of it stands in letters of one width. */
  mono?: boolean;
};

/** A text as it was written: spaces, lines, code, and each line from the side on which its script begins. */
export function RowText({ text, own = null, mono = false }: RowTextProps) {
  const pieces = useMemo(() => piecesOf(text, own), [text, own]);
  const isAllCode = useMemo(() => isCode(text), [text]);
  return (
    <div className={styles.text} data-mono={mono || isAllCode || undefined} dir="auto">
      {pieces.map(({ at, text: part, isCode: code, isShared }) => (
        <span
          key={at}
          className={styles.piece}
          data-code={code || undefined}
          data-shared={isShared || undefined}
        >
          {part}
        </span>
      ))}
    </div>
  );
}
