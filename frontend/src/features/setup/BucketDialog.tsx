import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ChangeEvent, type FormEvent, useId, useState } from "react";
import { ApiError } from "../../api/errors";
import { planBucket } from "../../api/imports";
import { createSync, syncsQuery } from "../../api/syncs";
import type { Job, Split } from "../../api/types";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { Dialog, DialogActions } from "../../ui/Dialog";
import { SelectField, TextField } from "../../ui/Field";
import { Said } from "../../ui/Said";
import { Notice } from "../../ui/State";
import styles from "./ImagesCard.module.css";
import { OFTEN } from "./SyncList";
import { columnsOf } from "./tables";

type BucketDialogProps = {
  projectId: number;
  /** What the operator allows; images lie there or below. */
  locations: string[];
  split: Split;
  annotations: string[];
  /** Saves what the import depends on. */
  before: () => Promise<void>;
  /** With the plan of the import; null if the place is followed instead. */
  onDone: (job: Job | null) => void;
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
  const [often, setOften] = useState(0);
  const client = useQueryClient();
  const isFollowed = often > 0 && !table.trim();
  const start = useMutation({
    mutationFn: async () => {
      await before();
      const asked = {
        location: location.trim(),
        include: table.trim() ? [] : columnsOf(include),
        split,
        annotation_columns: annotations,
        folder_split: {},
      };
      if (!isFollowed) return planBucket(projectId, { ...asked, table: table.trim() || null });
      await createSync(projectId, { ...asked, every_minutes: often });
      await client.invalidateQueries({ queryKey: syncsQuery(projectId).queryKey });
      return null;
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
  const errorOf = (name: string) => (field === name ? error : null);
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
          maxLength={2000}
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
          maxLength={2000}
          value={table}
          onChange={edit(setTable)}
        />
        <SelectField
          label={text.sync.often}
          hint={text.sync.oftenHint}
          disabled={table.trim() !== ""}
          value={isFollowed ? often : 0}
          onChange={(event) => setOften(Number(event.target.value))}
        >
          <option value={0}>{text.sync.once}</option>
          {OFTEN.map((minutes) => (
            <option key={minutes} value={minutes}>
              {text.sync.every[minutes]}
            </option>
          ))}
        </SelectField>
        {error && !["location", "include", "table"].includes(field ?? "") && (
          <Notice tone="bad">
            <Said>{error}</Said>
          </Notice>
        )}
        <DialogActions>
          <Button onClick={onClose}>{t.common.cancel}</Button>
          <Button type="submit" kind="primary" busy={start.isPending} disabled={!location.trim()}>
            {isFollowed ? text.sync.start : text.start}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
