import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { askDraws } from "../../api/guarantee";
import { projectQuery } from "../../api/projects";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { Dialog, DialogActions } from "../../ui/Dialog";
import { ErrorNotice } from "../../ui/ErrorNotice";
import { NumberField } from "../../ui/NumberField";
import styles from "./Guarantee.module.css";

const USUAL = 100;
const MOST = 10_000;

/** Has people asked about more examples at random, at once. */
export function AskDraws({ projectId }: { projectId: number }) {
  const { draws: text } = t.guarantee;
  const [isOpen, setOpen] = useState(false);
  const [number, setNumber] = useState(USUAL);
  const client = useQueryClient();
  const ask = useMutation({
    mutationFn: () => askDraws(projectId, number),
    onSuccess: () => setOpen(false),
    onSettled: () => client.invalidateQueries({ queryKey: projectQuery(projectId).queryKey }),
  });
  return (
    <>
      <div className={styles.actions}>
        <Button manages size="small" onClick={() => setOpen(true)}>
          {text.ask}
        </Button>
        {ask.data && (
          <span className={styles.quiet} role="status">
            {text.asked(ask.data.asked, ask.data.round)}
          </span>
        )}
      </div>
      {isOpen && (
        <Dialog title={text.ask} onClose={() => setOpen(false)}>
          <NumberField
            label={text.number}
            hint={text.askHint}
            value={number}
            integer
            min={1}
            max={MOST}
            onChange={(value) => value !== null && setNumber(value)}
          />
          <ErrorNotice error={ask.error} />
          <DialogActions>
            <Button onClick={() => setOpen(false)}>{t.common.cancel}</Button>
            <Button kind="primary" busy={ask.isPending} onClick={() => ask.mutate()}>
              {text.ask}
            </Button>
          </DialogActions>
        </Dialog>
      )}
    </>
  );
}
