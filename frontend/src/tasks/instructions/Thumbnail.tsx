import { Thumbnail as Example } from "../../media/Thumbnail";
import { LABELED } from "../choice";
import type { ThumbnailProps } from "../spec";
import { rankingOf } from "./model";
import styles from "./Thumbnail.module.css";

const MOST = 300;

/** How the example begins that was liked best, or the first of those that nothing was said of. */
export function Thumbnail({ example, given }: ThumbnailProps) {
  const { members, ...first } = example;
  const best = given.verdict === LABELED ? rankingOf(given.label)?.order[0]?.[0] : undefined;
  const shown = members?.find(({ example_id }) => example_id === best) ?? members?.[0];
  const excerpt = shown
    ? [shown.fields.instruction, shown.fields.responses[0] ?? ""].join("\n").slice(0, MOST)
    : first.excerpt;
  return (
    <>
      <Example example={{ ...first, excerpt: excerpt ?? null }} alt="" />
      <span className={styles.mark} data-mark="" data-verdict={given.verdict} />
    </>
  );
}
