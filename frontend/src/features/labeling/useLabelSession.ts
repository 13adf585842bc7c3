import { useEffect, useState } from "react";
import { labelingApi } from "../../api/labeling";
import { mediaViews } from "../../media/registry";
import type { Ahead } from "../../media/spec";
import type { Medium } from "../../strings/medium";
import { keepAround, watchAttention } from "./attention";
import type { AnswerSender } from "./queue/sender";
import { LabelSession } from "./queue/session";
import { Stopwatch } from "./queue/stopwatch";
import { openTabs, tabClient } from "./queue/tab";

export type Labeling = { session: LabelSession; ahead: Ahead; stopwatch: Stopwatch };

type Place = {
  projectId: number;
  medium: Medium;
  userId: number;
  sender: AnswerSender | null;
};

/** Opens this tab's place in the queue for as long as the page is shown. */
export function useLabelSession({ projectId, medium, userId, sender }: Place): Labeling | null {
  const [labeling, setLabeling] = useState<Labeling | null>(null);
  useEffect(() => {
    if (!sender) return;
    let close: (() => void) | undefined;
    let unmounted = false;
    tabClient().then((client) => {
      if (unmounted) return;
      const opened = open({ projectId, medium, userId, sender, client });
      close = opened.close;
      setLabeling(opened.labeling);
    });
    return () => {
      unmounted = true;
      close?.();
      setLabeling(null);
    };
  }, [projectId, medium, userId, sender]);
  return labeling;
}

function open({ medium, ...place }: Place & { sender: AnswerSender; client: string }) {
  const stopwatch = new Stopwatch();
  const ahead = mediaViews[medium].openAhead("stage");
  const session = new LabelSession({ ...place, openTabs, api: labelingApi, stopwatch });
  session.subscribe(() => {
    keepAround(ahead, session.getView(), (entry) => entry.subject);
  });
  const release = () => session.release();
  const onPageShow = (event: PageTransitionEvent) => {
    if (event.persisted) session.wake();
  };
  const unwatch = watchAttention(stopwatch, session);
  window.addEventListener("pagehide", release);
  window.addEventListener("pageshow", onPageShow);
  session.start();
  const close = () => {
    unwatch();
    window.removeEventListener("pagehide", release);
    window.removeEventListener("pageshow", onPageShow);
    session.stop();
  };
  return { labeling: { session, ahead, stopwatch }, close };
}
