import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "react-router";
import { projectQuery } from "../../api/projects";
import { isActive, retryJob } from "../../api/rounds";
import type { Job, Project, Settings } from "../../api/types";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { EstimateNotice } from "../../ui/jobs/EstimateNotice";
import { JobAtWork } from "../../ui/jobs/JobAtWork";
import { doneBy, sentenceOf } from "../../ui/jobs/outcome";
import { isPaused, PausedJob } from "../../ui/jobs/PausedJob";
import { Said } from "../../ui/Said";
import { Notice } from "../../ui/State";
import { CertifiedScreen } from "./CertifiedScreen";
import { ComparisonScreen } from "./ComparisonScreen";
import { FilesCard } from "./FilesCard";
import { GivenCard } from "./GivenCard";
import styles from "./JobsScreen.module.css";
import { LocalizationScreen } from "./LocalizationScreen";
import { LogCard } from "./LogCard";
import { RelabelScreen } from "./RelabelScreen";
import { SubsetScreen } from "./SubsetScreen";
import { SelectionScreen } from "./selection/SelectionScreen";

const SCREENS: Partial<Record<Job["kind"], typeof ComparisonScreen>> = {
  certify: CertifiedScreen,
  taufe: ComparisonScreen,
  localize: LocalizationScreen,
  prune: SubsetScreen,
  relabel: RelabelScreen,
  select_instructions: SelectionScreen,
};

type ResultScreenProps = { project: Project & { settings: Settings }; job: Job };

/** What a job has found, or how far it is, and its log. */
export function ResultScreen({ project, job }: ResultScreenProps) {
  const Screen = job.dry_run ? undefined : SCREENS[job.kind];
  const hasResult = Screen && job.state === "succeeded" && job.result;
  return (
    <div className={styles.page}>
      {hasResult ? (
        <Screen project={project} job={job} />
      ) : (
        <State projectId={project.id} job={job} />
      )}
      <FilesCard projectId={project.id} job={job} />
      <GivenCard job={job} />
      <LogCard key={job.id} projectId={project.id} job={job} isOpen={!hasResult} />
    </div>
  );
}

function State({ projectId, job }: { projectId: number; job: Job }) {
  const client = useQueryClient();
  const onSettled = () => client.invalidateQueries({ queryKey: projectQuery(projectId).queryKey });
  return (
    <>
      <header>
        <Link to={`/projects/${projectId}/jobs`}>{t.jobs.back}</Link>
        <h2>{t.jobs.titled(t.overview.job[job.kind] ?? job.kind, job.id)}</h2>
      </header>
      {isActive(job) && (
        <Card>
          <JobAtWork job={job} onSettled={onSettled} />
        </Card>
      )}
      {isPaused(job) && <PausedJob key={job.attempt} job={job} onSettled={onSettled} />}
      {job.state === "failed" && (
        <Notice tone="bad" actions={<RetryButton projectId={projectId} job={job} />}>
          <Said>{sentenceOf(job)}</Said>
        </Notice>
      )}
      {job.state === "cancelled" && (
        <Notice actions={<RetryButton projectId={projectId} job={job} />}>{t.jobs.stopped}</Notice>
      )}
      {job.state === "succeeded" &&
        (job.dry_run ? <Estimated job={job} /> : <Notice>{t.jobs.noResult}</Notice>)}
    </>
  );
}

/** What a look ahead has found; of an import what became of it is all that is left to say. */
function Estimated({ job }: { job: Job }) {
  if (job.kind === "import_pool") return <Notice>{doneBy(job)}</Notice>;
  return <EstimateNotice job={job} />;
}

function RetryButton({ projectId, job }: { projectId: number; job: Job }) {
  const client = useQueryClient();
  const retry = useMutation({
    mutationFn: () => retryJob(job.id),
    onSettled: () => client.invalidateQueries({ queryKey: projectQuery(projectId).queryKey }),
  });
  return (
    <>
      <Button
        manages
        size="small"
        title={t.jobs.retryHint}
        busy={retry.isPending}
        onClick={() => retry.mutate()}
      >
        {t.jobs.retry}
      </Button>
      {retry.error && (
        <span role="alert">
          <Said>{retry.error}</Said>
        </span>
      )}
    </>
  );
}
