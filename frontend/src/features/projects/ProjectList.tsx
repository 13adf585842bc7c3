import { useInfiniteQuery } from "@tanstack/react-query";
import { LISTS_MS } from "../../api/events";
import { projectsQuery } from "../../api/projects";
import type { ProjectWork } from "../../api/types";
import { t } from "../../strings";
import { ButtonLink } from "../../ui/Button";
import { More } from "../../ui/More";
import { Empty, Failure, Loading, Skeleton } from "../../ui/State";
import { ProjectCard } from "./ProjectCard";
import styles from "./ProjectList.module.css";

type ProjectListProps = {
  canCreate: boolean;
  /** What the user can do in the projects that they are a member of, once it is known. */
  work: ProjectWork[] | undefined;
};

export function ProjectList({ canCreate, work }: ProjectListProps) {
  const projects = useInfiniteQuery({ ...projectsQuery, refetchInterval: LISTS_MS });
  const items = projects.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <div className={styles.page}>
      <header className={styles.header}>
        <h1>{t.projects.title}</h1>
        {canCreate && items.length > 0 && (
          <ButtonLink to="/projects/new">{t.projects.newProject}</ButtonLink>
        )}
      </header>
      {projects.isPending && (
        <Loading>
          <div className={styles.grid}>
            <Skeleton height="15.5rem" />
            <Skeleton height="15.5rem" />
            <Skeleton height="15.5rem" />
          </div>
        </Loading>
      )}
      {projects.error && !projects.data && (
        <Failure error={projects.error} onRetry={() => projects.refetch()} />
      )}
      {projects.data && items.length === 0 && (
        <Empty
          title={t.projects.emptyTitle}
          actions={
            canCreate && (
              <ButtonLink to="/projects/new" kind="primary" size="large">
                {t.projects.newProject}
              </ButtonLink>
            )
          }
        >
          {canCreate ? t.projects.emptyManager : t.projects.emptyAnnotator}
        </Empty>
      )}
      {items.length > 0 && (
        <ul className={styles.grid}>
          {items.map((project) => (
            <li key={project.id}>
              <ProjectCard project={project} work={work?.find((one) => one.id === project.id)} />
            </li>
          ))}
        </ul>
      )}
      <More list={projects}>{t.projects.more}</More>
    </div>
  );
}
