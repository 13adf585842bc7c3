import { useMutation } from "@tanstack/react-query";
import { type ChangeEvent, type FormEvent, useId, useState } from "react";
import { ApiError } from "../../api/errors";
import { planBucket } from "../../api/imports";
import type { Job, Split } from "../../api/types";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { Dialog, DialogActions } from "../../ui/Dialog";
import { TextField } from "../../ui/Field";
import { Notice } from "../../ui/State";
import styles from "./ImagesCard.module.css";
import { columnsOf } from "./tables";

type BucketDialogProps = {
  projectId: number;
  /** What the operator allows; images lie there or below. */
  locations: string[];
  split: Split;
  annotations: string[];
  /** Saves what the import depends on. */
  before: () => Promise<void>;
  onDone: (job: Job) => void;
  onClose: () => void;
};

/** Asks for images that stay where they are. */
export function BucketDialog(props: BucketDialogProps) {
  const { projectId, locations, split, annotations, before, onDone, onClose } = props;
  const text = t.setup.bucket;
  const places = useId();
  const [location, setLocation] = useState(locations[0] ?? "");
  const [include, setInclude] = useState("");
  const [table, setTable] = useState("");
  const start = useMutation({
    mutationFn: async () => {
      await before();
      return planBucket(projectId, {
        location: location.trim(),
        include: table.trim() ? [] : columnsOf(include),
        table: table.trim() || null,
        split,
        annotation_columns: annotations,
        folder_split: {},
      });
    },
    onSuccess: (job) => {
      onDone(job);
      onClose();
    },
  });
  const edit = (set: (value: string) => void) => (event: ChangeEvent<HTMLInputElement>) => {
    start.reset();
    set(event.target.value);
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    start.mutate();
  };
  const { error } = start;
  const field = error instanceof ApiError ? error.field : null;
  const errorOf = (name: string) => (field === name ? error?.message : null);
  return (
    <Dialog title={text.title} onClose={onClose}>
      <form className={styles.form} onSubmit={onSubmit}>
        <p>{text.text}</p>
        <TextField
          label={text.location}
          hint={text.locationHint(locations)}
          error={errorOf("location")}
          data-autofocus=""
          required
          list={places}
          autoComplete="off"
          spellCheck={false}
          value={location}
          onChange={edit(setLocation)}
        />
        <datalist id={places}>
          {locations.map((place) => (
            <option key={place} value={place} />
          ))}
        </datalist>
        <TextField
          label={text.include}
          hint={text.includeHint}
          error={errorOf("include")}
          placeholder={text.includeExample}
          spellCheck={false}
          disabled={table.trim() !== ""}
          value={include}
          onChange={edit(setInclude)}
        />
        <TextField
          label={text.table}
          hint={text.tableHint}
          error={errorOf("table")}
          placeholder={text.tableExample}
          spellCheck={false}
          value={table}
          onChange={edit(setTable)}
        />
        {error && !["location", "include", "table"].includes(field ?? "") && (
          <Notice tone="bad">{error.message}</Notice>
        )}
        <DialogActions>
          <Button onClick={onClose}>{t.common.cancel}</Button>
          <Button type="submit" kind="primary" busy={start.isPending} disabled={!location.trim()}>
            {text.start}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
