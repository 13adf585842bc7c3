import { useQuery } from "@tanstack/react-query";
import { useLayoutEffect } from "react";
import { textQuery, textUrl } from "../../api/texts";
import type { ThumbnailProps } from "../spec";
import { isCode } from "./code";
import { Marked } from "./Marked";
import styles from "./Text.module.css";

/** No more of a text is laid out than any card could show. */
const MOST = 400;

/** How a text begins, in as many lines as there is room for. */
export function TextThumbnail({ example, title, marked, onState }: ThumbnailProps) {
  const isTold = typeof example.excerpt === "string";
  const found = useQuery({
    ...textQuery(example.image_url ?? textUrl(example.id)),
    enabled: !isTold,
  });
  const isThere = isTold || found.data !== undefined;
  useLayoutEffect(() => {
    if (isThere) onState?.("ready");
    else if (found.isError) onState?.("failed");
  }, [isThere, found.isError, onState]);
  const begins = example.excerpt ?? found.data?.slice(0, MOST) ?? "";
  const mono = isCode(begins);
  // On a card room counts for more than paragraphs.
  const text = mono ? begins.trimEnd() : begins.trim().replace(/\n\s*\n/g, "\n");
  return (
    <span className={styles.card} data-excerpt="" title={title}>
      <span className={styles.excerpt} data-mono={mono || undefined} dir="auto">
        <Marked text={text} words={marked} />
      </span>
    </span>
  );
}
