import { Link } from "react-router";
import { useTitles } from "../../api/algorithms";
import type { PruneResult } from "../../api/results";
import type { Job, LabelClass, Project, Settings } from "../../api/types";
import { t } from "../../strings";
import { Card } from "../../ui/Card";
import { formatCount, formatPercent } from "../../ui/format";
import { Table } from "../../ui/Table";
import { ExampleGallery } from "./ExampleGallery";
import styles from "./JobsScreen.module.css";
import { NeighbourTable } from "./NeighbourTable";
import { NoiseTable } from "./NoiseTable";
import { ObjectiveCard } from "./ObjectiveCard";
import { PremiseCard } from "./PremiseCard";
import { SubsetExport, SubsetUse } from "./SubsetActions";
import { TrialTable } from "./TrialTable";
import { notesOf, Warnings } from "./Warnings";

const { subset: text } = t.jobs;

type SubsetScreenProps = { project: Project & { settings: Settings }; job: Job };

/** What a job `prune` keeps and drops, and whether rounds train on it. */
export function SubsetScreen({ project, job }: SubsetScreenProps) {
  const result = job.result as PruneResult;
  const titleOf = useTitles("pruning");
  const inPool = (how: "kept_by" | "dropped_by") =>
    `/projects/${project.id}/pool?${how}=${result.subset_id}`;
  return (
    <div className={styles.page}>
      <header>
        <Link to={`/projects/${project.id}/jobs`}>{t.jobs.back}</Link>
        <h2>{text.title}</h2>
        <p>
          {text.kept(result.kept, result.labeled, titleOf(result.method))}{" "}
          {notesOf(result).map(t.common.said).join(" ")}
        </p>
      </header>
      <Warnings result={result} />
      <Card title={text.next} hint={text.nextHint}>
        <div className={styles.actions}>
          <SubsetUse project={project} subsetId={result.subset_id} />
          <SubsetExport projectId={project.id} subsetId={result.subset_id} />
          <Link to={`/projects/${project.id}/subsets?a=${result.subset_id}`}>{text.all}</Link>
        </div>
      </Card>
      {result.noise && (
        <Card
          title={text.noise}
          hint={result.warm_up_corrects ? `${text.noiseHint} ${text.correctsHint}` : text.noiseHint}
        >
          <NoiseTable result={result} noise={result.noise} />
        </Card>
      )}
      <Card title={text.dropped} hint={text.droppedHint}>
        <ExampleGallery
          classes={project.classes}
          examples={result.shown.dropped}
          none={text.none}
        />
        {result.labeled > result.kept && (
          <p>
            <Link to={inPool("dropped_by")}>{text.allDropped(result.labeled - result.kept)}</Link>
          </p>
        )}
      </Card>
      <Card title={text.first} hint={text.firstHint}>
        <ExampleGallery classes={project.classes} examples={result.shown.kept} none={text.none} />
        <p>
          <Link to={inPool("kept_by")}>{text.allKept(result.kept)}</Link>
        </p>
      </Card>
      <Card title={text.balance}>
        <Balance classes={project.classes} result={result} />
      </Card>
      {result.neighbours && (
        <NeighbourTable projectId={project.id} job={job} neighbours={result.neighbours} />
      )}
      {result.trial && <TrialTable trial={result.trial} />}
      {result.premise && <PremiseCard premise={result.premise} />}
      <ObjectiveCard result={result} />
    </div>
  );
}

type BalanceProps = { classes: LabelClass[]; result: PruneResult };

function Balance({ classes, result }: BalanceProps) {
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
              <td data-number>{formatCount(before)}</td>
              <td data-number>{formatCount(after)}</td>
              <td data-number>{formatPercent(before > 0 ? after / before : null)}</td>
            </tr>
          );
        })}
      </tbody>
    </Table>
  );
}
