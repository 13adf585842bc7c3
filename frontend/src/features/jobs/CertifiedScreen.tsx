import { Link } from "react-router";
import type { Job, Project } from "../../api/types";
import { t } from "../../strings";
import { ButtonLink } from "../../ui/Button";
import { Notice } from "../../ui/State";

/** A job `certify` has made the groups; what becomes of them is told on a page of its own. */
export function CertifiedScreen({ project, job }: { project: Project; job: Job }) {
  const id = Number(job.result?.certificate_id);
  const { page: text } = t.guarantee;
  return (
    <>
      <header>
        <Link to={`/projects/${project.id}/jobs`}>{t.jobs.back}</Link>
        <h2>{t.jobs.titled(t.overview.job[job.kind] ?? job.kind, job.id)}</h2>
      </header>
      <Notice
        actions={
          <ButtonLink to={`/projects/${project.id}/certificates/${id}`} kind="primary" size="small">
            {t.jobs.showResult.certify}
          </ButtonLink>
        }
      >
        {text.fromJob(text.title(id))}
      </Notice>
    </>
  );
}
