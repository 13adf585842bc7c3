import { useCallback, useSyncExternalStore } from "react";
import type { Ahead, Content, Prepared } from "../../media/spec";

type Queue<Item> = { getView(): { current: Item | null } };

/**
 * Whether what is asked about has come up, for the page, and for a key at the moment it is pressed.
 *
 * @param contentOf Always the same function.
 */
export function usePrepared<Item>(
  queue: Queue<Item>,
  ahead: Ahead,
  contentOf: (item: Item) => Content,
): readonly [Prepared["state"], () => Prepared["state"]] {
  const read = useCallback(() => {
    const { current } = queue.getView();
    return (current && ahead.get(contentOf(current))?.state) || "loading";
  }, [queue, ahead, contentOf]);
  return [useSyncExternalStore(ahead.subscribe, read), read];
}
