import type { Project } from "../../api/types";
import { t } from "../../strings";
import { ButtonLink } from "../../ui/Button";
import { Empty } from "../../ui/State";

type NoPageProps = {
  project: Project;
  /** Whether there are more pages of the project to go to. */
  sees: boolean;
};

/** In place of pages that label, where a package has brought the type of task. */
export function NoPage({ project, sees }: NoPageProps) {
  const text = t.label.noPage;
  return (
    <Empty
      isPage
      title={text.title}
      actions={
        sees ? (
          <ButtonLink to={`/projects/${project.id}`}>{text.toProject}</ButtonLink>
        ) : (
          <ButtonLink to="/">{t.common.toProjects}</ButtonLink>
        )
      }
    >
      {text.text(project.task)}
    </Empty>
  );
}
