import { useEffect, useState } from "react";
import { reviewApi } from "../../../api/reviews";
import { ImageCache } from "../queue/images";
import { Stopwatch } from "../queue/stopwatch";
import { ReviewQueue } from "./queue";

export type Reviewing = { queue: ReviewQueue; images: ImageCache; stopwatch: Stopwatch };

type Place = { projectId: number; jobId: number; userId: number };

/** Opens a place in the review for as long as the page is shown. */
export function useReviewQueue({ projectId, jobId, userId }: Place): Reviewing | null {
  const [reviewing, setReviewing] = useState<Reviewing | null>(null);
  useEffect(() => {
    const stopwatch = new Stopwatch();
    const images = new ImageCache();
    const queue = new ReviewQueue({
      api: reviewApi(projectId, jobId),
      storage: localStorage,
      key: `karat:review:${userId}:${projectId}:${jobId}`,
      seconds: () => stopwatch.seconds(),
    });
    queue.subscribe(() => {
      const { current, upcoming, history } = queue.getView();
      const [next, ...later] = upcoming;
      const around = [current, next, history.at(-1), ...later];
      images.keep(around.flatMap((one) => (one ? [one.image_url] : [])));
    });
    const onVisibility = () => stopwatch.setVisible(!document.hidden);
    const touch = () => stopwatch.touch();
    document.addEventListener("visibilitychange", onVisibility);
    window.addEventListener("pointermove", touch, { passive: true });
    window.addEventListener("keydown", touch, { capture: true, passive: true });
    void queue.start();
    setReviewing({ queue, images, stopwatch });
    return () => {
      document.removeEventListener("visibilitychange", onVisibility);
      window.removeEventListener("pointermove", touch);
      window.removeEventListener("keydown", touch, { capture: true });
      queue.stop();
      setReviewing(null);
    };
  }, [projectId, jobId, userId]);
  return reviewing;
}
