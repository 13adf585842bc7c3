import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { projectQuery } from "../api/projects";
import { revertReview } from "../api/reviews";
import type { Review } from "../api/types";
import { t } from "../strings";
import { Button } from "./Button";
import { ConfirmDialog } from "./ConfirmDialog";

const { takeBack: text } = t.review;

type TakeBackReviewProps = { projectId: number; review: Review; size?: "small" };

/** Takes back every decision of a review, after it was asked for; nothing where there is none. */
export function TakeBackReview({ projectId, review, ...look }: TakeBackReviewProps) {
  const client = useQueryClient();
  const [asks, setAsks] = useState(false);
  const revert = useMutation({
    mutationFn: () => revertReview(projectId, review.job_id),
    onSuccess: () => {
      setAsks(false);
      return client.invalidateQueries({ queryKey: projectQuery(projectId).queryKey });
    },
  });
  const done = review.total - review.open;
  if (done === 0) return null;
  return (
    <>
      <Button manages {...look} onClick={() => setAsks(true)}>
        {text.action}
      </Button>
      {asks && (
        <ConfirmDialog
          title={text.title}
          text={text.text(done)}
          action={text.action}
          danger
          does={revert}
          onConfirm={() => revert.mutate()}
          onClose={() => setAsks(false)}
        />
      )}
    </>
  );
}
