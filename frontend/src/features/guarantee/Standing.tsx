import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import {
  actOnCertificate,
  type CertificateAction,
  type CertificateDetail,
} from "../../api/guarantee";
import { poolQueries } from "../../api/pool";
import { projectQuery } from "../../api/projects";
import { isActive, jobQuery } from "../../api/rounds";
import type { Project } from "../../api/types";
import { t } from "../../strings";
import { Button, ButtonLink } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { ConfirmDialog } from "../../ui/ConfirmDialog";
import { formatPercent } from "../../ui/format";
import { JobAtWork, JobMeter } from "../../ui/jobs/JobAtWork";
import { useJobsOfKind } from "../../ui/jobs/JobControls";
import { Meter } from "../../ui/Meter";
import { Said } from "../../ui/Said";
import { Notice } from "../../ui/State";
import { ApplyDialog } from "./ApplyDialog";
import styles from "./Guarantee.module.css";

type StandingProps = { project: Project; certificate: CertificateDetail };

/** How a guarantee stands, and what can be done about it now. */
export function Standing({ project, certificate }: StandingProps) {
  const { page: text } = t.guarantee;
  const [asked, setAsked] = useState<CertificateAction | null>(null);
  const client = useQueryClient();
  const act = useMutation({
    mutationFn: (action: CertificateAction) => actOnCertificate(project.id, certificate.id, action),
    onSuccess: () => setAsked(null),
    onSettled: () => {
      void client.invalidateQueries({ queryKey: projectQuery(project.id).queryKey });
      void client.invalidateQueries({ queryKey: poolQueries.all(project.id) });
    },
  });
  const close = () => {
    act.reset();
    setAsked(null);
  };
  const { state, auto } = certificate;
  const isGiven = state === "applied" || state === "applying";
  const stop = (
    <Button manages key="stop" onClick={() => setAsked("revoke")}>
      {text.stop}
    </Button>
  );
  return (
    <>
      {certificate.stalled !== null && (
        <Notice tone="bad">
          <strong>{text.stalled}</strong> <Said>{certificate.stalled}</Said>
        </Notice>
      )}
      {state === "scoring" && (
        <Card title={text.scoring} hint={text.scoringHint}>
          {certificate.job_id !== null && <Scoring project={project} jobId={certificate.job_id} />}
        </Card>
      )}
      {state === "asking" && <Asking project={project} certificate={certificate} stop={stop} />}
      {state === "ready" && (
        <Card
          title={text.ready(auto)}
          hint={text.readyHint}
          actions={
            <>
              <Button manages kind="primary" onClick={() => setAsked("apply")}>
                {text.apply}
              </Button>
              {stop}
            </>
          }
        />
      )}
      {state === "applying" && (
        <Card
          title={text.labeling}
          hint={text.labelingHint}
          actions={
            <Button manages onClick={() => setAsked("revoke")}>
              {text.revoke}
            </Button>
          }
        >
          <AtWork certificate={certificate} />
        </Card>
      )}
      {state === "revoking" && (
        <Card title={text.takingBack} hint={text.labelingHint}>
          <AtWork certificate={certificate} />
        </Card>
      )}
      {state === "applied" && (
        <Card
          title={text.applied(auto)}
          hint={text.appliedHint}
          actions={
            <>
              <ButtonLink to={`/projects/${project.id}/pool?source=model`}>
                {text.showThem}
              </ButtonLink>
              <Button manages onClick={() => setAsked("revoke")}>
                {text.revoke}
              </Button>
            </>
          }
        />
      )}
      {state === "revoked" && <Notice>{text.revoked}</Notice>}
      {state === "refused" && (
        <Notice tone="bad">
          <strong>{text.refused}.</strong> <Said>{certificate.refused}</Said>
        </Notice>
      )}
      {asked === "apply" && (
        <ApplyDialog
          project={project}
          certificate={certificate}
          busy={act.isPending}
          error={act.error}
          onConfirm={() => act.mutate("apply")}
          onClose={close}
        />
      )}
      {asked === "revoke" && (
        <ConfirmDialog
          title={isGiven ? text.revokeTitle(auto) : text.stopTitle}
          text={isGiven ? text.revokeText : text.stopText}
          action={isGiven ? text.revoke : text.stop}
          danger
          does={act}
          onConfirm={() => act.mutate("revoke")}
          onClose={close}
        />
      )}
    </>
  );
}

/** How much of it the workers have done by now. */
function AtWork({ certificate: { progress } }: { certificate: CertificateDetail }) {
  const share = progress ?? 0;
  return <Meter label={t.guarantee.page.done} value={share} max={1} text={formatPercent(share)} />;
}

function Scoring({ project, jobId }: { project: Project; jobId: number }) {
  const client = useQueryClient();
  const job = useQuery({ ...jobQuery(project.id, jobId), refetchInterval: 2_000 }).data;
  return (
    <>
      {job && isActive(job) && (
        <JobAtWork
          job={job}
          onSettled={() =>
            client.invalidateQueries({ queryKey: projectQuery(project.id).queryKey })
          }
        />
      )}
      <div className={styles.actions}>
        <ButtonLink to={`/projects/${project.id}/jobs/${jobId}`} size="small">
          {t.guarantee.page.toJob}
        </ButtonLink>
      </div>
    </>
  );
}

function Asking({ project, certificate, stop }: StandingProps & { stop: React.ReactNode }) {
  const { page: text } = t.guarantee;
  const { answered, expected_answers: more, waiting, round } = certificate;
  const about = answered + (more ?? waiting);
  return (
    <Card
      title={text.asking}
      hint={round !== null && text.where(round)}
      actions={
        <>
          {waiting > 0 && (
            <ButtonLink to={`/projects/${project.id}/label`} kind="primary">
              {text.label}
            </ButtonLink>
          )}
          {stop}
        </>
      }
    >
      <Meter
        label={text.answers}
        value={answered}
        max={Math.max(1, about)}
        text={more === null ? text.only(answered) : text.ofAbout(answered, about)}
      />
      <p className={styles.quiet}>{text.waiting(waiting)}</p>
      <Closing project={project} />
    </Card>
  );
}

/** Checks are asked in an open round: what they wait for while one closes. */
function Closing({ project }: { project: Project }) {
  const jobs = useJobsOfKind(project.id, "advance_round").data?.items ?? [];
  const job = jobs.find((one) => isActive(one) && !one.dry_run);
  if (!job) return null;
  return (
    <>
      <p className={styles.quiet}>{t.guarantee.page.closing}</p>
      <JobMeter job={job} />
    </>
  );
}
