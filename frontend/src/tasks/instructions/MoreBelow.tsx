import { type RefObject, useEffect, useState } from "react";
import { t } from "../../strings";
import { keepFocus } from "../../ui/keepFocus";
import { isMotionReduced } from "../../ui/motion";
import { useScrollEdges } from "../../ui/useScrollEdges";
import styles from "./Stage.module.css";

/** As much of a card, in pixels, as its number takes: what shows less is not seen. */
const HEAD = 48;
/** Of the height of what scrolls: how far a click goes on. */
const STEP = 0.8;

type MoreBelowProps = {
  region: RefObject<HTMLElement | null>;
  /** What is shown: another group is of another height. */
  queryId: number | null;
};

/** Says that there are more examples than there is room for, and shows them. */
export function MoreBelow({ region, queryId }: MoreBelowProps) {
  const { after } = useScrollEdges(region, "y", queryId);
  const [hidden, setHidden] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what there is below is read again with the edges.
  useEffect(() => {
    const element = region.current;
    if (!element) return;
    const count = () => setHidden(hiddenIn(element));
    count();
    element.addEventListener("scroll", count, { passive: true });
    return () => element.removeEventListener("scroll", count);
  }, [region, queryId, after]);
  if (!after) return null;
  return (
    <button
      type="button"
      className={styles.below}
      onMouseDown={keepFocus}
      onClick={() => {
        const element = region.current;
        const behavior = isMotionReduced() ? "instant" : "smooth";
        element?.scrollBy({ top: STEP * element.clientHeight, behavior });
      }}
    >
      <span aria-hidden="true">↓ </span>
      {t.instructions.moreBelow(hidden)}
    </button>
  );
}

function hiddenIn(element: HTMLElement): number {
  const end = element.getBoundingClientRect().bottom - HEAD;
  const cards = [...element.querySelectorAll("[data-example]")];
  return cards.filter((card) => card.getBoundingClientRect().top > end).length;
}
