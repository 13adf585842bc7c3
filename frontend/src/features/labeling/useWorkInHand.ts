import { type RefObject, useEffect } from "react";
import type { Work } from "../../tasks/spec";
import { askBeforeClosing } from "../../ui/leaving";

/** What is made of an example, and not said yet, is neither given away nor closed unasked. */
export function useWorkInHand(
  queue: { isWorkedAt: () => boolean; inHand: () => unknown[] },
  working: RefObject<Work>,
): void {
  useEffect(() => {
    queue.isWorkedAt = () => working.current?.isChanged === true;
    return askBeforeClosing(() => queue.inHand().length > 0);
  }, [queue, working]);
}
