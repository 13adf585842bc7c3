import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { discardImport, listed, startImport } from "../../api/imports";
import type { FolderChoice, ImportPlan, ImportStart, Job, Split } from "../../api/types";
import { t } from "../../strings";
import { traitsOf } from "../../tasks/traits";
import { Button } from "../../ui/Button";
import { Dialog, DialogActions } from "../../ui/Dialog";
import { ErrorNotice } from "../../ui/ErrorNotice";
import { Said } from "../../ui/Said";
import { Notice } from "../../ui/State";
import { CountFromField } from "./CountFromField";
import { isClass } from "./classLookup";
import { InputSize, type Seen } from "./InputSizeField";
import { PlanClasses } from "./PlanClasses";
import { PlanColumns } from "./PlanColumns";
import styles from "./PlanDialog.module.css";
import { PlanGroup } from "./PlanGroup";
import { PlanPredictions } from "./PlanPredictions";
import {
  addsToPool,
  type Chosen,
  chosenOf,
  labelsPool,
  lacksTruth,
  lostToEvaluation,
  newClasses,
  proposedClasses,
  SPLITS,
  sumsOf,
  withListed,
} from "./plan";
import { Reasons } from "./Reasons";
import { TextColumn } from "./TextColumn";

type PlanDialogProps = {
  projectId: number;
  task: string;
  job: Job;
  plan: ImportPlan;
  /** Names of the project's classes, as they stand on the page. */
  classes: string[];
  /** Whether what folders are called may become classes here. */
  takesClasses: boolean;
  /** What the model sees, as it stands on the page. */
  seen: Seen;
  /** Missing where there are images, which are seen as they are stored. */
  onSeen: ((seen: Seen) => void) | undefined;
  /** Saves what the import depends on, with these classes more. */
  before: (classes: string[]) => Promise<void>;
  onAnswered: () => void;
  /** It is planned anew. */
  onPlanned: (job: Job) => void;
  onClose: () => void;
};

/** Shows what an import would do before anything is stored, and takes choices. */
export function PlanDialog(props: PlanDialogProps) {
  const { projectId, task, job, plan, takesClasses, seen, before, onAnswered, onClose } = props;
  const { onSeen, onPlanned } = props;
  const text = t.setup.plan;
  const [chosen, setChosen] = useState<Chosen>(() => chosenOf(plan));
  const known = new Set(props.classes);
  const used = newClasses(plan, chosen, known);
  // Where there are no classes, what folders are called is proposed.
  const [picked, setPicked] = useState<ReadonlySet<string> | null>(null);
  const { isDrawn, namesOneClass } = traitsOf({ task });
  const proposes = takesClasses && known.size === 0;
  const found = proposes ? withListed(plan, used) : used;
  const makes = picked ?? new Set(proposes ? proposedClasses(plan, chosen, found, isDrawn) : []);
  const added = takesClasses ? [...found.keys()].filter((name) => makes.has(name)) : [];
  const classes = new Set([...known, ...added]);
  // Those that are ticked, and those that somebody has added since it was planned.
  const wanting = newClasses(plan, chosen, new Set());
  const come = [...wanting.keys()].filter((name) => isClass(name, classes));
  const sums = sumsOf(plan, chosen, classes, isDrawn);
  const lost = lostToEvaluation(plan, chosen, classes, isDrawn);
  const unknown = [...used.keys()].filter((name) => !classes.has(name));
  const choice = {
    split: chosen.split,
    folder_split: chosen.folders,
    // Of predictions it stays as it was planned: none of it is a label that could be chosen.
    ...(!plan.predictions_of && {
      annotation_columns: chosen.split === "pool" ? chosen.columns : [],
    }),
  };
  const start = useMutation({
    mutationFn: async () => {
      await before(added);
      await startImport(projectId, job.id, { ...choice, dry_run: false });
    },
    onSuccess: onAnswered,
  });
  const again = useMutation({
    mutationFn: async (
      otherwise: Partial<
        Pick<
          ImportStart,
          | "annotation_columns"
          | "count_from"
          | "label_column"
          | "text_column"
          | "predictions"
          | "probability_column"
        >
      >,
    ) => {
      await before([]);
      return startImport(projectId, job.id, { ...choice, ...otherwise, dry_run: true });
    },
    onSuccess: onPlanned,
  });
  const discard = useMutation({
    mutationFn: () => discardImport(projectId, job.id),
    onSuccess: onAnswered,
  });
  const choose = (name: string | null, choice: FolderChoice) =>
    setChosen(
      name === null
        ? { ...chosen, split: choice as Split }
        : { ...chosen, folders: { ...chosen.folders, [name]: choice } },
    );
  const lacksLabels = namesOneClass && lacksTruth(plan);
  const tick = (columns: string[]) => {
    setChosen({ ...chosen, columns });
    const ticked = plan.labels.find(
      ({ column }) => columns.includes(column) && !chosen.columns.includes(column),
    );
    // Only as what is true of each does it make classes, and let rows in to evaluate on.
    if (ticked && lacksLabels && (lost > 0 || (takesClasses && ticked.readable === 0)))
      again.mutate({ label_column: ticked.column, annotation_columns: columns });
  };
  const brings = SPLITS.some((split) => sums[split] > 0) || plan.rows > 0;
  const error = start.error ?? discard.error ?? again.error;
  const countFrom = plan.count_from ?? null;
  return (
    <Dialog title={text.title(listed(job).name)} wide onClose={onClose}>
      <p className={styles.sums} role="status">
        {text.sums(sums, plan.rows)}
      </p>
      {plan.groups.length > 0 && (
        <ul className={styles.groups} aria-label={text.groups}>
          {plan.groups.map((group) => (
            <PlanGroup
              key={`${group.fixed ?? ""}/${group.name ?? ""}`}
              group={group}
              isAll={plan.groups.length === 1}
              chosen={chosen}
              classes={classes}
              task={task}
              onChoose={(choice) => choose(group.name, choice)}
            />
          ))}
        </ul>
      )}
      {takesClasses && found.size > 0 && (
        <PlanClasses found={found} picked={makes} onPick={setPicked} />
      )}
      {isDrawn && unknown.length > 0 && (
        <Notice tone="gold">{t.boxes.setup.unknownClasses(unknown)}</Notice>
      )}
      {brings && lost > 0 && sums.evaluation === 0 && (
        <Notice tone="gold">
          {lacksLabels && plan.labels.length > 0
            ? text.noEvaluationColumn
            : takesClasses
              ? text.noEvaluation
              : text.noEvaluationLater}
        </Notice>
      )}
      {!brings && <Notice tone="gold">{text.nothing}</Notice>}
      <PlanColumns
        plan={plan}
        added={come}
        isAll={come.length === wanting.size}
        isPool={chosen.split === "pool"}
        addsToPool={addsToPool(plan, chosen)}
        labelsPool={labelsPool(plan, chosen, classes)}
        offersAll={lacksLabels && takesClasses}
        columns={chosen.columns}
        busy={again.isPending}
        onColumns={tick}
      />
      {(isDrawn || namesOneClass) && (
        <PlanPredictions
          plan={plan}
          busy={again.isPending}
          onChange={(asked) => again.mutate(asked)}
        />
      )}
      {plan.columns?.text !== undefined && (
        <TextColumn
          column={plan.columns.text}
          busy={again.isPending}
          onChange={(text_column) => again.mutate({ text_column })}
        />
      )}
      {(plan.doubts || countFrom !== null) && (
        <CountFromField
          value={countFrom}
          onChange={(from) =>
            from !== null && from !== countFrom && again.mutate({ count_from: from })
          }
        />
      )}
      <div className={styles.notes}>
        {plan.notes?.map((note) => (
          <p key={note}>
            <Said>{note}</Said>
          </p>
        ))}
      </div>
      <Reasons title={text.whyBad} reasons={plan.bad_by_reason} />
      {onSeen && plan.input_size && (
        <div className={styles.size}>
          <InputSize value={seen} choice={plan.input_size} onChange={onSeen} />
        </div>
      )}
      <p className={styles.hint}>
        {text.notSeen} {onSeen && seen.input_size !== null && text.fixesSize(seen.input_size)}
      </p>
      <ErrorNotice error={error} />
      <DialogActions>
        <Button kind="quiet" busy={discard.isPending} onClick={() => discard.mutate()}>
          {text.discard}
        </Button>
        <Button onClick={onClose}>{text.later}</Button>
        <Button
          kind="primary"
          busy={start.isPending}
          disabled={!brings || again.isPending}
          onClick={() => start.mutate()}
        >
          {text.start}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
