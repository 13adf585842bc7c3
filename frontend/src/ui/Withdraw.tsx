import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { Selection } from "../api/types";
import {
  readAgain,
  type Withdrawal,
  withdraw,
  withdrawalPreviewQuery,
  withdrawalQuery,
} from "../api/withdrawals";
import { t } from "../strings";
import { Button } from "./Button";
import { Dialog, DialogActions } from "./Dialog";
import { ErrorNotice } from "./ErrorNotice";

const { withdrawal: text } = t;

type WithdrawProps = {
  projectId: number;
  selection: Selection;
  /** What the button says, and of what is asked: of some images, or of an import. */
  what?: "images" | "import";
  onDone: (made: Withdrawal) => void;
};

/** Takes examples out of the project for good, after it was said how many these are. */
export function Withdraw(props: WithdrawProps) {
  const [asks, setAsks] = useState(false);
  const what = props.what ?? "images";
  return (
    <>
      <Button manages size="small" onClick={() => setAsks(true)}>
        {text[what].action}
      </Button>
      {asks && <Ask {...props} what={what} onClose={() => setAsks(false)} />}
    </>
  );
}

type AskProps = Required<WithdrawProps> & { onClose: () => void };

function Ask({ projectId, selection, what, onDone, onClose }: AskProps) {
  const client = useQueryClient();
  const preview = useQuery(withdrawalPreviewQuery(projectId, selection));
  const known = preview.data;
  const does = useMutation({
    mutationFn: (images: number) => withdraw(projectId, selection, images),
    onSuccess: (made) => {
      onClose();
      onDone(made);
    },
    // Others may have come, or gone: how many there are is said anew.
    onError: () => client.invalidateQueries({ queryKey: ["withdrawal-preview", projectId] }),
  });
  return (
    <Dialog title={known ? text[what].title(known.images) : text.counting} onClose={onClose}>
      {known && (
        <>
          {known.answered > 0 && <p>{text.answered(known.answered, known.images)}</p>}
          <p>{text.text}</p>
          <p>
            <strong>{text.forGood}</strong>
          </p>
        </>
      )}
      <ErrorNotice error={does.error ?? preview.error} />
      <DialogActions>
        <Button onClick={onClose}>{t.common.cancel}</Button>
        <Button
          kind="danger"
          disabled={!known?.images}
          busy={does.isPending || preview.isPending}
          onClick={() => known && does.mutate(known.images)}
        >
          {text[what].confirm}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

/** How far a withdrawal is; pages read again what they show once it is out of the project. */
export function Withdrawn({ projectId, id }: { projectId: number; id: number }) {
  const client = useQueryClient();
  const found = useQuery(withdrawalQuery(projectId, id)).data;
  const state = found?.state ?? "withdrawing";
  useEffect(() => {
    if (state !== "withdrawing") void readAgain(client, projectId);
  }, [client, projectId, state]);
  if (!found) return <p role="status">{text.counting}</p>;
  return <p role="status">{text.states[state](found.images, found.done)}</p>;
}
