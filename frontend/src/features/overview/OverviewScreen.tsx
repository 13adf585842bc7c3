import { useQuery } from "@tanstack/react-query";
import { Fragment, type ReactNode } from "react";
import { useTitles } from "../../api/algorithms";
import { findsAll, isFullyLabeled, isLabeled } from "../../api/projects";
import { isActive, jobsQuery, roundsQuery } from "../../api/rounds";
import type { Job, Project } from "../../api/types";
import { t } from "../../strings";
import { traitsOf } from "../../tasks/traits";
import { ButtonLink } from "../../ui/Button";
import { CannotTell } from "../../ui/CannotTell";
import { Card } from "../../ui/Card";
import { Fetching } from "../../ui/Fetching";
import { SubsetInUse } from "../../ui/jobs/SubsetInUse";
import { Parts } from "../../ui/Meter";
import { Empty, Notice } from "../../ui/State";
import { useSaid } from "../../ui/titled";
import { Actions } from "./Actions";
import { AgreementCard } from "./AgreementCard";
import { Curves } from "./Curves";
import { FirstSteps } from "./FirstSteps";
import { JobCard } from "./JobCard";
import { OodLeftCard, OutlookCard } from "./OutlookCard";
import styles from "./OverviewScreen.module.css";
import { PlansNotice } from "./PlansNotice";
import { poolParts } from "./poolParts";
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
  const said = useSaid();
  const rounds = useQuery(roundsQuery(project.id));
  const jobs = useQuery({
    ...jobsQuery(project.id),
    // Events bring progress; this is for the case that one is missed.
    refetchInterval: ({ state }) => (state.data?.items.some(isActive) ? 4_000 : false),
  });
  const modelOf = useTitles("model");
  const shown = shownJobs(jobs.data?.items ?? [], project);
  const { isCurated, namesOneClass } = traitsOf(project);
  if (isCurated) {
    return <RankingOverview project={project} rounds={rounds.data?.items ?? []} jobs={shown} />;
  }
  if (project.state === "draft") {
    return (
      <div className={styles.page}>
        {isLabeled(project) && <Actions project={project} rounds={[]} />}
        <PlansNotice projectId={project.id} />
        {isFullyLabeled(project) ? (
          <AllLabeled project={project} />
        ) : (
          <FirstSteps project={project} />
        )}
        <SubsetInUse project={project} />
        {project.counts.pool > 0 && <PoolCard project={project} />}
        <AgreementCard project={project} />
      </div>
    );
  }
  const items = rounds.data?.items ?? [];
  // What a job has failed for is said once.
  const isNews = (warning: string) => !shown.some(({ error }) => error?.detail === warning);
  const judged = items.findLast((one) => one.state === "closed");
  const outlook = (
    <div key="outlook" className={styles.pair}>
      <OutlookCard project={project} rounds={items} />
      <OodLeftCard project={project} rounds={items} />
    </div>
  );
  const promise = judged && namesOneClass && <Fragment key="promise">{guarantee}</Fragment>;
  return (
    <div className={styles.page}>
      <Actions project={project} rounds={items} />
      <PlansNotice projectId={project.id} />
      <FirstSteps project={project} />
      {project.warnings.filter(isNews).map((warning) => (
        <Notice key={warning} tone="gold">
          {said(warning)}
        </Notice>
      ))}
      {judged && <CannotTell project={project} round={judged} nameOf={modelOf} />}
      <SubsetInUse project={project} />
      {shown.map((job) => (
        <JobCard key={job.id} job={job} projectId={project.id} name={ofFirst(job)} />
      ))}
      <div className={styles.top}>
        <RoundNow project={project} rounds={items} />
        <PoolCard project={project} />
      </div>
      <Fetching of={rounds} height="20rem" />
      {rounds.data && items.length === 0 && (
        <Empty title={t.overview.noRounds}>{t.overview.noRoundsText}</Empty>
      )}
      {items.length > 0 && (
        <>
          {findsAll(project) ? [outlook, promise] : [promise, outlook]}
          <Curves project={project} rounds={items} />
          <Card title={t.overview.rounds}>
            <RoundsTable project={project} rounds={items} />
          </Card>
          <AgreementCard project={project} />
        </>
      )}
    </div>
  );
}

/** Jobs at work or paused, the latest one if it failed, and that of a round that has failed, whatever came after it. */
function shownJobs(jobs: Job[], { current_round: round }: Project): Job[] {
  // That somebody asks what a round would take is no round.
  const real = jobs.filter((job) => !(job.dry_run && job.kind === "advance_round"));
  const stopped = round?.failed ? real.find(({ kind }) => kind === "advance_round") : undefined;
  return (
    real
      .filter(
        (job, index) =>
          isActive(job) ||
          job.state === "paused" ||
          ((index === 0 || job === stopped) && job.state === "failed"),
      )
      // What waits comes after what it waits for.
      .sort((one, other) => Number(one.state === "queued") - Number(other.state === "queued"))
  );
}

function PoolCard({ project }: { project: Project }) {
  const { counts } = project;
  return (
    <Card
      title={t.overview.pool}
      hint={[
        t.projects.images(counts.pool),
        ...(counts.evaluation > 0 ? [t.overview.evaluation(counts.evaluation)] : []),
        ...(counts.held_out > 0 ? [t.overview.heldOut(counts.held_out)] : []),
      ].join(", ")}
    >
      <Parts label={t.overview.pool} parts={poolParts(project)} />
    </Card>
  );
}

/** No round was closed before the first, so nothing is learned from. */
const ofFirst = ({ kind, params }: Job): string | undefined =>
  kind === "advance_round" && params.closing === null ? t.overview.firstQueue : undefined;
