import { useEffect, useState } from "react";
import { reviewApi } from "../../../api/reviews";
import type { ReviewedJob } from "../../../api/types";
import { mediaViews } from "../../../media/registry";
import type { Ahead } from "../../../media/spec";
import type { Medium } from "../../../strings/medium";
import { keepAround, watchAttention } from "../attention";
import type { AnswerSender } from "../queue/sender";
import { Stopwatch } from "../queue/stopwatch";
import { ReviewQueue } from "./queue";

export type Reviewing = { queue: ReviewQueue; ahead: Ahead; stopwatch: Stopwatch };

type Place = {
  projectId: number;
  medium: Medium;
  jobId: ReviewedJob;
  userId: number;
  sender: AnswerSender | null;
};

/** Opens a place in the review for as long as the page is shown. */
export function useReviewQueue(place: Place): Reviewing | null {
  const { projectId, medium, jobId, userId, sender } = place;
  const [reviewing, setReviewing] = useState<Reviewing | null>(null);
  useEffect(() => {
    if (!sender) return;
    const stopwatch = new Stopwatch();
    const ahead = mediaViews[medium].openAhead("stage");
    const api = reviewApi(projectId, jobId);
    const queue = new ReviewQueue({ projectId, jobId, userId, api, sender, stopwatch });
    queue.subscribe(() => {
      keepAround(ahead, queue.getView(), (one) => one);
    });
    const unwatch = watchAttention(stopwatch, queue);
    queue.start();
    setReviewing({ queue, ahead, stopwatch });
    return () => {
      unwatch();
      queue.stop();
      setReviewing(null);
    };
  }, [projectId, medium, jobId, userId, sender]);
  return reviewing;
}
