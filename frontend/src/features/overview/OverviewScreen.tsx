import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTitles } from "../../api/algorithms";
import { isFullyLabeled } from "../../api/projects";
import { jobsQuery, roundsQuery } from "../../api/rounds";
import type { Job, Project } from "../../api/types";
import { t } from "../../strings";
import { ButtonLink } from "../../ui/Button";
import { CannotTell } from "../../ui/CannotTell";
import { Card } from "../../ui/Card";
import { SubsetInUse } from "../../ui/jobs/SubsetInUse";
import { Parts } from "../../ui/Meter";
import { Empty, Failure, Loading, Notice, Skeleton } from "../../ui/State";
import { Actions } from "./Actions";
import { AgreementCard } from "./AgreementCard";
import { Curves } from "./Curves";
import { FirstSteps } from "./FirstSteps";
import { JobCard } from "./JobCard";
import { OodLeftCard, OutlookCard } from "./OutlookCard";
import styles from "./OverviewScreen.module.css";
import { RankingOverview } from "./RankingOverview";
import { RoundNow } from "./RoundNow";
import { RoundsTable } from "./RoundsTable";

/** Where every image of a draft has a label, there is nothing to start. */
function AllLabeled({ project }: { project: Project }) {
  return (
    <Notice
      tone="gold"
      actions={
        <ButtonLink manages to={`/projects/${project.id}/jobs`} kind="primary" size="small">
          {t.setup.toJobs}
        </ButtonLink>
      }
    >
      {`${t.setup.labeledTitle}. ${t.setup.labeledText}`}
    </Notice>
  );
}

type OverviewScreenProps = {
  project: Project;
  /** How right the model is on what nobody saw, and labels with a promise. */
  guarantee: ReactNode;
};

export function OverviewScreen({ project, guarantee }: OverviewScreenProps) {
  const rounds = useQuery(roundsQuery(project.id));
  const jobs = useQuery({
    ...jobsQuery(project.id),
    // Events bring progress; this is for the case that one is missed.
    refetchInterval: ({ state }) => (state.data?.items.some(isActive) ? 4_000 : false),
  });
  const modelOf = useTitles("model");
  if (project.task === "instructions") {
    const shown = shownJobs(jobs.data?.items ?? [], project);
    return <RankingOverview project={project} rounds={rounds.data?.items ?? []} jobs={shown} />;
  }
  if (project.state === "draft") {
    return (
      <div className={styles.page}>
        {isFullyLabeled(project) ? (
          <AllLabeled project={project} />
        ) : (
          <FirstSteps project={project} />
        )}
        <SubsetInUse project={project} />
        {project.counts.pool > 0 && <PoolCard project={project} />}
        <AgreementCard projectId={project.id} />
      </div>
    );
  }
  const items = rounds.data?.items ?? [];
  const judged = items.findLast((one) => one.state === "closed");
  return (
    <div className={styles.page}>
      <Actions project={project} rounds={items} />
      <FirstSteps project={project} />
      {project.warnings.map((warning) => (
        <Notice key={warning} tone="gold">
          {t.common.said(warning)}
        </Notice>
      ))}
      {judged && <CannotTell project={project} round={judged} nameOf={modelOf} />}
      <SubsetInUse project={project} />
      {shownJobs(jobs.data?.items ?? [], project).map((job) => (
        <JobCard key={job.id} job={job} projectId={project.id} />
      ))}
      <div className={styles.top}>
        <RoundNow project={project} rounds={items} />
        <PoolCard project={project} />
      </div>
      {rounds.isPending && (
        <Loading>
          <Skeleton height="20rem" />
        </Loading>
      )}
      {rounds.error && <Failure error={rounds.error} onRetry={() => rounds.refetch()} />}
      {rounds.data && items.length === 0 && (
        <Empty title={t.overview.noRounds}>{t.overview.noRoundsText}</Empty>
      )}
      {items.length > 0 && (
        <>
          {judged && project.task === "classification" && guarantee}
          <div className={styles.pair}>
            <OutlookCard project={project} />
            <OodLeftCard rounds={items} />
          </div>
          <Curves project={project} rounds={items} />
          <Card title={t.overview.rounds}>
            <RoundsTable projectId={project.id} rounds={items} />
          </Card>
          <AgreementCard projectId={project.id} />
        </>
      )}
    </div>
  );
}

const isActive = (job: Job): boolean => job.state === "queued" || job.state === "running";

/** Jobs at work, the latest one if it failed, and that of a round that has failed, whatever came after it. */
function shownJobs(jobs: Job[], { current_round: round }: Project): Job[] {
  // That somebody asks what a round would take is no round.
  const real = jobs.filter((job) => !(job.dry_run && job.kind === "advance_round"));
  const stopped =
    round?.state === "failed" ? real.find(({ kind }) => kind === "advance_round") : undefined;
  return real.filter(
    (job, index) => isActive(job) || ((index === 0 || job === stopped) && job.state === "failed"),
  );
}

function PoolCard({ project }: { project: Project }) {
  const { counts } = project;
  const { parts } = t.overview;
  return (
    <Card
      title={t.overview.pool}
      hint={[
        t.projects.images(counts.pool),
        ...(counts.evaluation > 0 ? [t.overview.evaluation(counts.evaluation)] : []),
        ...(counts.held_out > 0 ? [t.overview.heldOut(counts.held_out)] : []),
      ].join(", ")}
    >
      <Parts
        label={t.overview.pool}
        parts={[
          { label: parts.in, value: counts.labeled_in, tone: "in" },
          { label: parts.ood, value: counts.labeled_ood, tone: "ood" },
          { label: parts.unsure, value: counts.unsure, tone: "unsure" },
          { label: parts.queried, value: counts.queried, tone: "queried" },
          { label: parts.unlabeled, value: counts.unlabeled, tone: "rest" },
        ]}
      />
    </Card>
  );
}
