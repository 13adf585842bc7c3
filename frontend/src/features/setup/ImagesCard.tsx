import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, useSyncExternalStore } from "react";
import { useLocation } from "react-router";
import { importLocationsQuery, importsQuery } from "../../api/imports";
import { projectQuery } from "../../api/projects";
import { isActive } from "../../api/rounds";
import type { Job, Project, Split } from "../../api/types";
import { t } from "../../strings";
import { managerWordsOf } from "../../tasks/managerWords";
import { traitsOf } from "../../tasks/traits";
import { Card } from "../../ui/Card";
import { SelectField, TextField } from "../../ui/Field";
import { Failure, Notice } from "../../ui/State";
import { useFold } from "../../ui/useFold";
import { BucketDialog } from "./BucketDialog";
import { COMPRESSED, DropZone } from "./DropZone";
import { isExample } from "./folderContents";
import type { Folder } from "./folders";
import styles from "./ImagesCard.module.css";
import { ImportList } from "./ImportList";
import { InputSizeField, type Seen } from "./InputSizeField";
import { InView } from "./InView";
import { kindOf } from "./kinds";
import { LeftBehind } from "./LeftBehind";
import { PlanDialog } from "./PlanDialog";
import { PlanList } from "./PlanList";
import { planOf, SPLITS } from "./plan";
import { SyncList } from "./SyncList";
import { TableDialog } from "./TableDialog";
import { columnsOf, type Table } from "./tables";
import { takenOf } from "./taken";
import { UploadList } from "./UploadList";
import { uploadsOf } from "./uploads";
import { useShownPlan } from "./useShownPlan";
import { useTyping } from "./useTyping";

type ImagesCardProps = {
  project: Project;
  /** Whether labeled images could be matched to classes. */
  classesReady: boolean;
  /** Names of the classes, as they stand on the page. */
  classes: string[];
  /** What the model sees, as it stands on the page. */
  seen: Seen;
  onSeen: (seen: Seen) => void;
  /** Saves what the import depends on: the classes, with some more, and the input size. */
  beforeUpload: (more?: string[]) => Promise<void>;
};

type Left = { paths: string[]; isAll: boolean };

export function ImagesCard(props: ImagesCardProps) {
  const { project, classesReady, classes, seen, onSeen, beforeUpload } = props;
  const [split, setSplit] = useState<Split>("pool");
  const [typed, setTyped] = useState("");
  const [textColumn, setTextColumn] = useState("");
  const [tables, setTables] = useState<Table[]>([]);
  const [early, setEarly] = useState(false);
  const [asking, setAsking] = useState(false);
  const fold = useFold(false, "#images");
  const [left, setLeft] = useState<Left>({ paths: [], isAll: false });
  /** Set anew when a plan is put off, which then waits in the list. */
  const [putOff, setPutOff] = useState<object | null>(null);
  const client = useQueryClient();
  const imports = useQuery({
    ...importsQuery(project.id),
    // Events bring progress; this is for the case that one is missed.
    refetchInterval: ({ state }) => (state.data?.items.some(isActive) ? 3_000 : false),
  });
  const locations = useQuery(importLocationsQuery).data?.items ?? [];
  const holds = kindOf(project);
  const { hasParts } = traitsOf(project);
  const setup = managerWordsOf(project).setup();
  const uploads = uploadsOf(project.id);
  const entries = useSyncExternalStore(uploads.subscribe, uploads.getEntries);
  const refresh = () => client.invalidateQueries({ queryKey: projectQuery(project.id).queryKey });
  const jobs = imports.data?.items ?? [];
  const plans = jobs.filter((job) => job.dry_run);
  // The first page sends what was dropped there, and leads here.
  const isExpected = useLocation().state?.expectsPlan === true;
  const isTyping = useTyping();
  const { shown, hide, show: showOnceMade } = useShownPlan(plans, isExpected, isTyping);
  const plan = shown && planOf(shown);
  const show = (job: Job | null) => {
    if (job?.dry_run) showOnceMade(job.id);
    return refresh();
  };

  const { pool, evaluation, auxiliary_ood } = project.counts;
  const hasImages = pool + evaluation + auxiliary_ood > 0;
  const asksSize = project.medium === "image" && !hasImages;
  const annotations = split === "pool" ? columnsOf(typed) : [];

  /** Whether saving failed, which the page says; a plan needs nothing that is saved. */
  const saveFirst = () =>
    beforeUpload().then(
      () => false,
      () => true,
    );

  const take = async (files: File[], folders: Folder[]) => {
    const { contents, about, labels, left } = await takenOf(files, folders, holds);
    const isNothing = contents.length + about.length + labels.length === 0;
    setLeft({ paths: left, isAll: isNothing });
    setEarly(about.length + labels.length > 0 && !classesReady);
    if (isNothing) return;
    const failed = await saveFirst();
    const named = textColumn.trim() ? { textColumn: textColumn.trim() } : {};
    for (const content of contents) {
      // A picture has no columns. There is nothing to choose, unless it is the first of all.
      const isPicture = content instanceof File && isExample(content.name, project.medium);
      const columns = isPicture ? [] : annotations;
      const dryRun = !isPicture || !hasImages || failed;
      uploads.add({ content, split, annotations: columns, ...named, dryRun }, show);
    }
    if (!classesReady || failed) return;
    for (const file of [...labels, ...about.filter((one) => one.states).map((one) => one.file)])
      uploads.add({ content: file, split: "pool", annotations: [], dryRun: false }, refresh);
    setTables(about.filter((one) => !one.states));
  };
  const [table] = tables;

  return (
    <Card title={setup.images} hint={setup.imagesHint} id="images">
      {early && !classesReady && <Notice tone="gold">{t.setup.classesFirst}</Notice>}
      <DropZone
        {...(hasParts && {
          label: t.setup.ranking.dropHere,
          accept: `.jsonl,.json,.csv,.tsv,.parquet,.zip,.tar,${COMPRESSED}`,
        })}
        onTake={take}
        onBucket={
          locations.length > 0 && project.medium === "image" ? () => setAsking(true) : undefined
        }
      />
      <details className={styles.before} hidden={hasParts} {...fold}>
        <summary>{t.setup.beforeImport}</summary>
        <div className={styles.split}>
          <SelectField
            label={t.setup.addTo}
            hint={setup.splitHints[split]}
            value={split}
            onChange={(event) => setSplit(event.target.value as Split)}
          >
            {SPLITS.map((name) => (
              <option key={name} value={name}>
                {t.setup.splits[name]}
              </option>
            ))}
          </SelectField>
          {split === "pool" && (
            <TextField
              label={t.setup.labelColumns}
              hint={t.setup.labelColumnsHint}
              value={typed}
              placeholder={t.setup.labelColumnsPlaceholder}
              onChange={(event) => setTyped(event.target.value)}
            />
          )}
          {project.medium === "text" && (
            <TextField
              label={t.setup.medium.textColumn.label}
              hint={t.setup.medium.textColumn.hint}
              value={textColumn}
              onChange={(event) => setTextColumn(event.target.value)}
            />
          )}
          {project.medium === "image" && (
            <InputSizeField
              project={project}
              hasImages={hasImages}
              value={seen}
              onChange={onSeen}
            />
          )}
        </div>
      </details>
      {asking && (
        <BucketDialog
          projectId={project.id}
          locations={locations.map(({ location }) => location)}
          split={split}
          annotations={annotations}
          before={beforeUpload}
          onDone={show}
          onClose={() => setAsking(false)}
        />
      )}
      {shown && plan && (
        <PlanDialog
          key={shown.id}
          projectId={project.id}
          task={project.task}
          job={shown}
          plan={plan}
          classes={classes}
          takesClasses={project.state === "draft"}
          seen={seen}
          onSeen={asksSize ? onSeen : undefined}
          before={beforeUpload}
          onAnswered={async () => {
            await refresh();
            hide(shown.id);
          }}
          onPlanned={async (job) => {
            await show(job);
            hide(shown.id);
          }}
          onClose={() => {
            hide(shown.id);
            setPutOff({});
          }}
        />
      )}
      {table && (
        <TableDialog
          key={tables.length}
          name={table.file.name}
          columns={table.columns}
          keys={table.keys}
          onTake={(columns, choice) => {
            const sending = { content: table.file, split: "pool", dryRun: false } as const;
            uploads.add({ ...sending, annotations: columns, table: choice }, refresh);
            setTables(tables.slice(1));
          }}
          onClose={() => setTables(tables.slice(1))}
        />
      )}
      {left.paths.length > 0 && (
        <InView of={left}>
          <LeftBehind {...left} holds={holds} />
        </InView>
      )}
      {entries.length > 0 && <UploadList entries={entries} onRemove={(id) => uploads.remove(id)} />}
      {imports.error && <Failure error={imports.error} onRetry={() => imports.refetch()} />}
      {plans.length > 0 && (
        <InView of={putOff}>
          <PlanList project={project} jobs={plans} onContinue={show} />
        </InView>
      )}
      {jobs.length > plans.length && (
        <ImportList projectId={project.id} jobs={jobs.filter((job) => !job.dry_run)} />
      )}
      {project.medium === "image" && <SyncList projectId={project.id} />}
    </Card>
  );
}
