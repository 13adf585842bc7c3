import { Navigate, NavLink, Outlet } from "react-router";
import { useProjectEvents } from "../api/events";
import { PageOfMedium, useWordsOf } from "../media/MediumContext";
import { t } from "../strings";
import { DeskLink } from "../tasks/DeskLink";
import { ButtonLink } from "../ui/Button";
import { Managing } from "../ui/managing";
import { ProjectChip } from "../ui/ProjectChip";
import { Loading, Skeleton } from "../ui/State";
import { useTitle } from "../ui/useTitle";
import { ProjectFailure } from "./ProjectFailure";
import styles from "./ProjectShell.module.css";
import { usePageTitle } from "./pageTitle";
import { useProject, useProjectId } from "./useProject";
import { useUser } from "./useUser";

/** The frame around a project's pages, kept current by the project's events. */
export function Component() {
  const user = useUser();
  const id = useProjectId();
  const project = useProject();
  useWordsOf(project.data?.medium);
  useProjectEvents(project.data?.id ?? null);
  const page = usePageTitle();
  useTitle(project.data && [page, project.data.name].filter(Boolean).join(" · "));
  if (project.error && !project.data) {
    return <ProjectFailure error={project.error} onRetry={() => project.refetch()} />;
  }
  if (!project.data) {
    return (
      <Loading>
        <Skeleton height="2.625rem" width="40%" />
        <Skeleton height="30rem" />
      </Loading>
    );
  }
  const { name, state, permissions, medium } = project.data;
  const manages = permissions.includes("manage");
  if (!permissions.includes("review")) return <Navigate to={`/projects/${id}/label`} replace />;
  return (
    <PageOfMedium medium={medium}>
      <div className={styles.page}>
        <header className={styles.header}>
          <div className={styles.title}>
            <h1>{name}</h1>
            <ProjectChip project={project.data} />
          </div>
          <nav className={styles.tabs} aria-label={t.common.projectNavigation}>
            <NavLink to={`/projects/${id}`} end>
              {t.overview.tab}
            </NavLink>
            <NavLink to={`/projects/${id}/pool`}>{t.pool.tab}</NavLink>
            <NavLink to={`/projects/${id}/jobs`}>{t.jobs.tab}</NavLink>
            {manages && (
              <NavLink to={`/projects/${id}/settings`}>
                {state === "draft" ? t.setup.tabDraft : t.setup.tab}
              </NavLink>
            )}
            {state === "finished"
              ? // Nothing is left to label: what is next is to take the labels away.
                manages && (
                  <ButtonLink
                    to={`/projects/${id}/settings#exports`}
                    kind="primary"
                    className={styles.label ?? ""}
                  >
                    {t.overview.export}
                  </ButtonLink>
                )
              : state !== "draft" && (
                  <DeskLink
                    project={project.data}
                    to={`/projects/${id}/label`}
                    kind="primary"
                    className={styles.label ?? ""}
                  >
                    {t.projects.label}
                  </DeskLink>
                )}
          </nav>
        </header>
        <Managing value={manages}>
          <Outlet context={user} />
        </Managing>
      </div>
    </PageOfMedium>
  );
}
