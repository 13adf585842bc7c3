import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ApiError } from "../../../api/errors";
import { snapshotsQuery, takeSnapshot } from "../../../api/snapshots";
import { t } from "../../../strings";
import { Button } from "../../../ui/Button";
import { Dialog, DialogActions } from "../../../ui/Dialog";
import { TextField } from "../../../ui/Field";
import { Said } from "../../../ui/Said";
import { Notice } from "../../../ui/State";
import styles from "./Snapshots.module.css";

const { snapshots: text } = t;

/** Asks for the name of a new snapshot, and takes it. */
export function TakeDialog({ projectId, onClose }: { projectId: number; onClose: () => void }) {
  const [name, setName] = useState("");
  const client = useQueryClient();
  const take = useMutation({
    mutationFn: () => takeSnapshot(projectId, name.trim()),
    onSuccess: () => {
      client.invalidateQueries({ queryKey: snapshotsQuery(projectId).queryKey });
      onClose();
    },
  });
  const wrongName = take.error instanceof ApiError && take.error.field?.endsWith("name");
  return (
    <Dialog title={text.takeTitle} onClose={onClose}>
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          take.mutate();
        }}
      >
        <p>{text.takeText}</p>
        <TextField
          label={text.name}
          hint={text.nameHint}
          required
          maxLength={80}
          value={name}
          error={wrongName ? take.error : null}
          onChange={(event) => setName(event.target.value)}
          data-autofocus
        />
        {take.error && !wrongName && (
          <Notice tone="bad">
            <Said>{take.error}</Said>
          </Notice>
        )}
        <DialogActions>
          <Button onClick={onClose}>{t.common.cancel}</Button>
          <Button kind="primary" type="submit" busy={take.isPending} disabled={name.trim() === ""}>
            {text.take}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
