import { useEffect, useState } from "react";
import { onScreen } from "../../../api/images";
import { reviewApi } from "../../../api/reviews";
import type { ReviewedJob } from "../../../api/types";
import { keepAround, watchAttention } from "../attention";
import { ImageCache } from "../queue/images";
import type { AnswerSender } from "../queue/sender";
import { Stopwatch } from "../queue/stopwatch";
import { ReviewQueue } from "./queue";

export type Reviewing = { queue: ReviewQueue; images: ImageCache; stopwatch: Stopwatch };

type Place = {
  projectId: number;
  jobId: ReviewedJob;
  userId: number;
  sender: AnswerSender | null;
};

/** Opens a place in the review for as long as the page is shown. */
export function useReviewQueue({ projectId, jobId, userId, sender }: Place): Reviewing | null {
  const [reviewing, setReviewing] = useState<Reviewing | null>(null);
  useEffect(() => {
    if (!sender) return;
    const stopwatch = new Stopwatch();
    const images = new ImageCache();
    const api = reviewApi(projectId, jobId);
    const queue = new ReviewQueue({ projectId, jobId, userId, api, sender, stopwatch });
    queue.subscribe(() => {
      keepAround(images, queue.getView(), onScreen);
    });
    const unwatch = watchAttention(stopwatch, queue);
    queue.start();
    setReviewing({ queue, images, stopwatch });
    return () => {
      unwatch();
      queue.stop();
      setReviewing(null);
    };
  }, [projectId, jobId, userId, sender]);
  return reviewing;
}
