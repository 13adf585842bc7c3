import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, useSyncExternalStore } from "react";
import { importLocationsQuery, importsQuery } from "../../api/imports";
import { projectQuery } from "../../api/projects";
import type { Project, Split } from "../../api/types";
import { t } from "../../strings";
import { Card } from "../../ui/Card";
import { SelectField, TextField } from "../../ui/Field";
import { NumberField } from "../../ui/NumberField";
import { Failure, Notice } from "../../ui/State";
import { BucketDialog } from "./BucketDialog";
import { DropZone } from "./DropZone";
import { fromImages, isArchive, isImage, type Source } from "./folders";
import styles from "./ImagesCard.module.css";
import { ImportList } from "./ImportList";
import { TableDialog } from "./TableDialog";
import { columnsOf, isDocument, isTable, readTable, type Table } from "./tables";
import { UploadList } from "./UploadList";
import { uploadsOf } from "./uploads";

const isLabels = (name: string): boolean => isTable(name) || isDocument(name);
const SPLITS: Split[] = ["pool", "evaluation", "auxiliary_ood"];

type ImagesCardProps = {
  project: Project;
  /** Whether labeled images could be matched to classes. */
  classesReady: boolean;
  inputSize: number;
  onInputSize: (inputSize: number) => void;
  /** Saves what the import depends on: the classes and the input size. */
  beforeUpload: () => Promise<void>;
};

export function ImagesCard(props: ImagesCardProps) {
  const { project, classesReady, inputSize, onInputSize, beforeUpload } = props;
  const [split, setSplit] = useState<Split>("pool");
  const [typed, setTyped] = useState("");
  const [tables, setTables] = useState<Table[]>([]);
  const [early, setEarly] = useState(false);
  const [asking, setAsking] = useState(false);
  const [refused, setRefused] = useState<string[]>([]);
  const client = useQueryClient();
  const imports = useQuery({
    ...importsQuery(project.id),
    // Events bring progress; this is for the case that one is missed.
    refetchInterval: ({ state }) =>
      state.data?.items.some((job) => job.state === "queued" || job.state === "running")
        ? 3_000
        : false,
  });
  const locations = useQuery(importLocationsQuery).data?.items ?? [];
  const uploads = uploadsOf(project.id);
  const entries = useSyncExternalStore(uploads.subscribe, uploads.getEntries);
  const refresh = () => client.invalidateQueries({ queryKey: projectQuery(project.id).queryKey });

  const { pool, evaluation, auxiliary_ood } = project.counts;
  const hasImages = pool + evaluation + auxiliary_ood > 0;
  const annotations = split === "pool" ? columnsOf(typed) : [];
  const mustWait = (split === "evaluation" || annotations.length > 0) && !classesReady;

  const take = async (files: File[], folders: Source[]) => {
    const loose = files.filter((file) => isImage(file.name));
    const contents: (File | Source)[] = [
      ...folders,
      ...files.filter((file) => isArchive(file.name)),
      ...(loose.length === 1 ? loose : []),
      ...(loose.length > 1 ? [fromImages(loose)] : []),
    ];
    const isRead = (name: string) => isArchive(name) || isImage(name) || isLabels(name);
    setRefused(files.map((file) => file.name).filter((name) => !isRead(name)));
    setEarly(files.some((file) => isLabels(file.name)) && !classesReady);
    await beforeUpload();
    for (const content of contents) {
      // A picture has no columns.
      const columns = content instanceof File && isImage(content.name) ? [] : annotations;
      uploads.add({ content, split, annotations: columns }, refresh);
    }
    if (!classesReady) return;
    const found = await Promise.all(files.filter((file) => isTable(file.name)).map(readTable));
    const plain = files.filter((file) => isDocument(file.name));
    for (const file of [...plain, ...found.filter((one) => one.states).map((one) => one.file)])
      uploads.add({ content: file, split: "pool", annotations: [] }, refresh);
    setTables(found.filter((one) => !one.states));
  };
  const [table] = tables;

  return (
    <Card title={t.setup.images} hint={t.setup.imagesHint} id="images">
      <div className={styles.split}>
        <SelectField
          label={t.setup.addTo}
          hint={t.setup.splitHints[split]}
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
        <NumberField
          label={t.setup.inputSize}
          hint={hasImages ? t.setup.inputSizeFixed : t.setup.inputSizeHint}
          value={inputSize}
          integer
          min={8}
          max={512}
          disabled={hasImages}
          onChange={(size) => size !== null && onInputSize(size)}
        />
      </div>
      {(mustWait || (early && !classesReady)) && (
        <Notice tone="gold">{t.setup.classesFirst}</Notice>
      )}
      {!mustWait && (
        <DropZone
          onTake={(files, folders) => void take(files, folders)}
          onBucket={locations.length > 0 ? () => setAsking(true) : undefined}
        />
      )}
      {asking && (
        <BucketDialog
          projectId={project.id}
          locations={locations.map(({ location }) => location)}
          split={split}
          annotations={annotations}
          before={beforeUpload}
          onDone={refresh}
          onClose={() => setAsking(false)}
        />
      )}
      {table && (
        <TableDialog
          key={table.file.name}
          name={table.file.name}
          columns={table.columns}
          onTake={(columns) => {
            uploads.add({ content: table.file, split: "pool", annotations: columns }, refresh);
            setTables(tables.slice(1));
          }}
          onClose={() => setTables(tables.slice(1))}
        />
      )}
      {refused.map((name) => (
        <Notice key={name} tone="bad">
          {t.setup.unsupported(name)}
        </Notice>
      ))}
      {entries.length > 0 && <UploadList entries={entries} onRemove={(id) => uploads.remove(id)} />}
      {imports.error && <Failure error={imports.error} onRetry={() => imports.refetch()} />}
      {imports.data && imports.data.items.length > 0 && (
        <ImportList projectId={project.id} jobs={imports.data.items} />
      )}
    </Card>
  );
}
