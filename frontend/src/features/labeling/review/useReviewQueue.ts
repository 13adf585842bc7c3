import { useEffect, useState } from "react";
import { reviewApi } from "../../../api/reviews";
import { ImageCache } from "../queue/images";
import type { AnswerSender } from "../queue/sender";
import { Stopwatch } from "../queue/stopwatch";
import { ReviewQueue } from "./queue";

export type Reviewing = { queue: ReviewQueue; images: ImageCache; stopwatch: Stopwatch };

type Place = { projectId: number; jobId: number; userId: number; sender: AnswerSender | null };

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
      const { current, upcoming, history } = queue.getView();
      const [next, ...later] = upcoming;
      const around = [current, next, history.at(-1), ...later];
      images.keep(around.flatMap((one) => (one ? [one.image_url] : [])));
    });
    const onVisibility = () => {
      stopwatch.setVisible(!document.hidden);
      if (!document.hidden) queue.wake();
    };
    const touch = () => stopwatch.touch();
    document.addEventListener("visibilitychange", onVisibility);
    window.addEventListener("pointermove", touch, { passive: true });
    window.addEventListener("keydown", touch, { capture: true, passive: true });
    queue.start();
    setReviewing({ queue, images, stopwatch });
    return () => {
      document.removeEventListener("visibilitychange", onVisibility);
      window.removeEventListener("pointermove", touch);
      window.removeEventListener("keydown", touch, { capture: true });
      queue.stop();
      setReviewing(null);
    };
  }, [projectId, jobId, userId, sender]);
  return reviewing;
}
