import { type CSSProperties, useLayoutEffect, useMemo, useRef, useSyncExternalStore } from "react";
import { t } from "../../strings";
import { Kbd } from "../../ui/Kbd";
import { measurePaint } from "../../ui/measure";
import { Skeleton } from "../../ui/State";
import { useScrollEdges } from "../../ui/useScrollEdges";
import { NotLoaded } from "../NotLoaded";
import { Alternate, ScaleButtons } from "../StageTools";
import type { StageProps } from "../spec";
import { isCode } from "./code";
import { useScrollKeys } from "./scrolling";
import text from "./Text.module.css";
import styles from "./TextStage.module.css";
import { SIZES, useTextSize } from "./useTextSize";

/** Characters up to which a text is a line or two, and a paragraph; they are set larger. */
const LINE = 140;
const PARAGRAPH = 600;

const lengthOf = (shown: string): "line" | "paragraph" | "page" =>
  shown.length <= LINE ? "line" : shown.length <= PARAGRAPH ? "paragraph" : "page";

/** One text, set to be read; a long one scrolls by wheel, finger and key. */
export function TextStage(props: StageProps) {
  const { subject, ahead, alternate, onAlternate, covered, onShown } = props;
  useSyncExternalStore(ahead.subscribe, ahead.getVersion);
  const prepared = ahead.get(subject);
  const shown = prepared?.state === "ready" && "text" in prepared ? prepared.text : null;
  const region = useRef<HTMLElement>(null);
  const { size, change, reset } = useTextSize();
  const { before: above, after: below } = useScrollEdges(region, "y", shown);
  useScrollKeys(region, covered);
  const mono = useMemo(() => shown !== null && isCode(shown), [shown]) || alternate;

  // biome-ignore lint/correctness/useExhaustiveDependencies: shown once per query, whatever its callback is.
  useLayoutEffect(() => {
    if (shown === null) return;
    if (region.current) region.current.scrollTop = 0;
    measurePaint();
    onShown();
  }, [shown, subject.query_id]);

  return (
    <div className={styles.stage}>
      {shown !== null && (
        <div
          className={styles.sheet}
          style={{ "--scale": size / 100 } as CSSProperties}
          data-above={above || undefined}
          data-below={below || undefined}
        >
          <section
            ref={region}
            className={styles.region}
            aria-label={t.label.imageAlt(subject.name)}
            data-query-id={subject.query_id}
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be within reach of the keys.
            tabIndex={0}
          >
            <div
              className={`${text.text} ${styles.text}`}
              data-length={lengthOf(shown)}
              data-mono={mono || undefined}
              dir="auto"
            >
              {shown}
            </div>
          </section>
          {below && (
            <button
              type="button"
              className={styles.more}
              onClick={() => region.current?.scrollBy({ top: region.current.clientHeight * 0.85 })}
            >
              {t.label.text.more}
              <Kbd decorative>{t.label.text.space}</Kbd>
            </button>
          )}
        </div>
      )}
      {prepared?.state === "failed" && (
        <NotLoaded subject={subject} ahead={ahead} className={styles.message} />
      )}
      {shown === null && prepared?.state !== "failed" && (
        <div className={styles.message}>
          <Skeleton width="min(30rem, 70vw)" height="min(16rem, 40vh)" />
        </div>
      )}
      <div className={styles.tools}>
        <ScaleButtons
          label={t.label.text.size}
          percent={size}
          smaller={{
            label: t.label.text.smaller,
            disabled: size === SIZES[0],
            onClick: () => change(-1),
          }}
          reset={{ label: t.label.text.usual(size), disabled: size === 100, onClick: reset }}
          larger={{
            label: t.label.text.larger,
            disabled: size === SIZES.at(-1),
            onClick: () => change(1),
          }}
        />
        <Alternate
          label={t.label.text.mono}
          alternate={alternate}
          onAlternate={onAlternate}
          className={styles.mono}
        />
      </div>
    </div>
  );
}
