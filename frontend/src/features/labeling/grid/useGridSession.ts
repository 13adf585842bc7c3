import { useEffect, useState } from "react";
import { labelingApi } from "../../../api/labeling";
import { mediaViews } from "../../../media/registry";
import type { Medium } from "../../../strings/medium";
import { watchAttention } from "../attention";
import type { AnswerSender } from "../queue/sender";
import { Stopwatch } from "../queue/stopwatch";
import { openTabs, tabClient } from "../queue/tab";
import { idOf } from "./model";
import { GridSession } from "./session";

export type Gridding = { session: GridSession; stopwatch: Stopwatch };

type Place = {
  projectId: number;
  medium: Medium;
  userId: number;
  sender: AnswerSender | null;
  size: number;
};

/** Opens this tab's place in the queue for as long as the grid is shown. */
export function useGridSession(place: Place): Gridding | null {
  const { projectId, medium, userId, sender, size } = place;
  const [opened, setOpened] = useState<Gridding | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another size is no reason to begin anew.
  useEffect(() => {
    if (!sender) return;
    let close: (() => void) | undefined;
    let unmounted = false;
    tabClient(":grid").then((client) => {
      if (unmounted) return;
      const { close: closing, ...gridding } = open({
        projectId,
        medium,
        userId,
        sender,
        client,
        size,
      });
      close = closing;
      setOpened(gridding);
    });
    return () => {
      unmounted = true;
      close?.();
      setOpened(null);
    };
  }, [projectId, medium, userId, sender]);
  useEffect(() => opened?.session.setSize(size), [opened, size]);
  return opened;
}

type Opening = Place & { sender: AnswerSender; client: string };

function open({ medium, ...place }: Opening) {
  const stopwatch = new Stopwatch();
  const ahead = mediaViews[medium].openAhead("small");
  const session = new GridSession({ ...place, openTabs, api: labelingApi, stopwatch });
  session.subscribe(() => {
    const { upcoming } = session.getView();
    ahead.keep([...new Map(upcoming.map((tile) => [idOf(tile), tile.subject])).values()]);
  });
  const leave = () => session.leave();
  const onPageShow = (event: PageTransitionEvent) => {
    if (event.persisted) session.wake();
  };
  const unwatch = watchAttention(stopwatch, {
    getView: () => ({ current: session.getView().page[0], paused: session.getView().paused }),
    wake: session.wake,
    pause: (why) => session.pause(why),
    resume: session.resume,
  });
  window.addEventListener("pagehide", leave);
  window.addEventListener("pageshow", onPageShow);
  session.start();
  const close = () => {
    unwatch();
    window.removeEventListener("pagehide", leave);
    window.removeEventListener("pageshow", onPageShow);
    session.stop();
  };
  return { session, stopwatch, close };
}
