import { Link } from "react-router";
import { artifactUrl } from "../../api/artifacts";
import type { Job, LabelClass, Project, Settings, ShownExample, Subset } from "../../api/types";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { Chart } from "../../ui/Chart";
import { Chip } from "../../ui/Chip";
import { formatPercent } from "../../ui/format";
import { Notice } from "../../ui/State";
import { Table } from "../../ui/Table";
import styles from "./JobsScreen.module.css";
import { useSettingsChange } from "./useSettingsChange";

const { subset: text } = t.jobs;

type SubsetScreenProps = { project: Project & { settings: Settings }; job: Job };

/** What a job `prune` keeps and drops, and whether rounds train on it. */
export function SubsetScreen({ project, job }: SubsetScreenProps) {
  const result = job.result as Subset;
  return (
    <div className={styles.page}>
      <header className={styles.counts}>
        <Link to={`/projects/${project.id}/jobs`}>{t.jobs.back}</Link>
        <h2>{text.title}</h2>
        <p>
          {text.kept(result.kept, result.labeled, result.method)} {result.notes.join(" ")}
        </p>
      </header>
      <Card title={text.next} hint={text.nextHint}>
        <TrainOn project={project} subsetId={result.subset_id} />
      </Card>
      <Card title={text.dropped} hint={text.droppedHint}>
        <Gallery classes={project.classes} examples={result.shown.dropped} />
      </Card>
      <Card title={text.first} hint={text.firstHint}>
        <Gallery classes={project.classes} examples={result.shown.kept} />
      </Card>
      <Card title={text.balance}>
        <Balance classes={project.classes} result={result} />
      </Card>
      {result.objective.length > 1 && (
        <Card>
          <Chart
            title={text.objective}
            hint={text.objectiveHint}
            summary={text.noObjective}
            format={(value) => value.toLocaleString(undefined, { maximumFractionDigits: 1 })}
            line={result.objective.map(([x, y]) => ({ x, y }))}
            xLabel={text.chosen}
          />
        </Card>
      )}
    </div>
  );
}

type TrainOnProps = { project: Project & { settings: Settings }; subsetId: number };

function TrainOn({ project, subsetId }: TrainOnProps) {
  const change = useSettingsChange(project.id);
  if (project.state === "finished") return <Notice>{t.jobs.finished}</Notice>;
  const inUse = project.settings.subset === subsetId;
  return (
    <>
      <div className={styles.actions}>
        {inUse && <Chip tone="good">{text.inUse}</Chip>}
        <Button
          size="small"
          kind={inUse ? "secondary" : "primary"}
          busy={change.isPending}
          onClick={() => change.mutate({ subset: inUse ? null : subsetId })}
        >
          {inUse ? text.stop : text.use}
        </Button>
        <a href={artifactUrl(subsetId)} download>
          {text.download}
        </a>
      </div>
      {change.error && <Notice tone="bad">{change.error.message}</Notice>}
    </>
  );
}

type GalleryProps = { classes: LabelClass[]; examples: ShownExample[] };

function Gallery({ classes, examples }: GalleryProps) {
  if (examples.length === 0) return <p>{text.none}</p>;
  const nameOf = (id: number) => classes.find((one) => one.id === id)?.name ?? String(id);
  return (
    <ul className={styles.gallery}>
      {examples.map((one) => (
        <li key={one.example_id}>
          <img
            src={`/api/examples/${one.example_id}/image?size=128`}
            alt={text.image(nameOf(one.class_id), one.loss)}
            title={text.image(nameOf(one.class_id), one.loss)}
            loading="lazy"
          />
          <span>{nameOf(one.class_id)}</span>
        </li>
      ))}
    </ul>
  );
}

function Balance({ classes, result }: { classes: LabelClass[]; result: Subset }) {
  return (
    <Table label={text.balance}>
      <thead>
        <tr>
          <th scope="col">{text.class}</th>
          <th scope="col" data-number>
            {text.before}
          </th>
          <th scope="col" data-number>
            {text.after}
          </th>
          <th scope="col" data-number>
            {text.share}
          </th>
        </tr>
      </thead>
      <tbody>
        {result.class_ids.map((id, index) => {
          const before = result.before[index] ?? 0;
          const after = result.after[index] ?? 0;
          return (
            <tr key={id}>
              <th scope="row">{classes.find((one) => one.id === id)?.name ?? id}</th>
              <td data-number>{before.toLocaleString()}</td>
              <td data-number>{after.toLocaleString()}</td>
              <td data-number>{formatPercent(before > 0 ? after / before : null)}</td>
            </tr>
          );
        })}
      </tbody>
    </Table>
  );
}
