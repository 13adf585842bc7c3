import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useRef } from "react";
import { textQuery, toldWhole } from "../../api/texts";
import { Failure, Skeleton } from "../../ui/State";
import type { WholeProps } from "../spec";
import { isCode } from "./code";
import { Marked } from "./Marked";
import styles from "./Text.module.css";

/** All of a text, from its beginning, or from the first word that was looked for. */
export function TextWhole({ content, alt, marked }: WholeProps) {
  const told = toldWhole(content);
  const found = useQuery({ ...textQuery(content.image_url), enabled: told === null });
  const text = told ?? found.data ?? null;
  const region = useRef<HTMLElement>(null);
  useEffect(() => {
    const parent = region.current;
    if (!parent || text === null) return;
    const first = parent.querySelector<HTMLElement>("mark");
    parent.scrollTop = first ? Math.max(0, first.offsetTop - parent.clientHeight / 3) : 0;
  }, [text]);
  const mono = useMemo(() => text !== null && isCode(text), [text]);
  if (found.error && !found.data)
    return <Failure error={found.error} onRetry={() => found.refetch()} />;
  if (text === null) return <Skeleton height="8rem" />;
  return (
    <section
      ref={region}
      className={styles.whole}
      aria-label={alt || undefined}
      data-reads=""
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be within reach of the keys.
      tabIndex={0}
    >
      <div className={styles.text} data-mono={mono || undefined} dir="auto">
        <Marked text={text} words={marked} />
      </div>
    </section>
  );
}
